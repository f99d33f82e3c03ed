/** @together test/support/console/Shared.ts */
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import type { Locator, Page } from "playwright-core"
import { assert, describe } from "vitest"
import { consoleTest } from "#test/support/console/ConsoleTest.ts"

const runButton = (page: Page) => page.getByRole("button", { name: /^Run/ })

const requestIn = (page: Page) => new URL(page.url()).searchParams.get("request")

/** A PNG of one pixel. */
const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

/** Drops a file of one pixel from outside of the browser. */
const drop = async (page: Page, zone: Locator) => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), "inferlog-drop-"))
  const file = path.join(directory, "pixel.png")
  fs.writeFileSync(file, Buffer.from(pixel, "base64"))
  await zone.scrollIntoViewIfNeeded()
  const box = await zone.boundingBox()
  if (box === null) throw new Error("There is no place to drop a file")
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
  const session = await page.context().newCDPSession(page)
  const data = { items: [], files: [file], dragOperationsMask: 1 }
  for (const type of ["dragEnter", "dragOver", "drop"] as const) {
    await session.send("Input.dispatchDragEvent", { type, x, y, data })
  }
  return () => fs.rmSync(directory, { recursive: true })
}

/** Puts a PNG of one pixel on the clipboard. */
const copyPixel = (page: Page) =>
  page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
    const png = new Blob([bytes], { type: "image/png" })
    await navigator.clipboard.write([new ClipboardItem({ "image/png": png })])
  }, pixel)

/** Waits until something moves, or nothing does. */
const untilMoving = (page: Page, expected: boolean) =>
  page.waitForFunction(
    (moves) => document.getAnimations().some(({ playState }) => playState === "running") === moves,
    expected
  )

describe("the catalog", () => {
  consoleTest("is searched with filters that the address keeps", async ({ open }) => {
    const page = await open("ada", "/models")
    await page.getByRole("searchbox", { name: "Search" }).fill("blurhsh")
    await page.getByRole("link", { name: "BlurHash" }).waitFor()
    await page.waitForFunction(() => document.querySelectorAll("main article").length === 1)
    await page.waitForURL(/\?q=blurhsh$/)
    await page.goto(`${page.url()}&category=audio`)
    await page.getByText("No model matches").waitFor()
    await page.getByRole("button", { name: "Clear the filters" }).click()
    await page.getByRole("link", { name: "Echo" }).waitFor()
    await page.getByRole("link", { name: "Getting started" }).click()
    await page.getByRole("heading", { name: "Getting started" }).waitFor()
    assert.match(page.url(), /collection=getting-started/)
  })

  consoleTest("shows schemas field by field, and says when there is no such model", async ({ open }) => {
    const page = await open("ada", "/models/vision/resize?tab=schema", { expects: /404/ })
    const output = page.getByRole("region", { name: "Output" })
    await output.getByText("contentType", { exact: true }).waitFor()
    await page.goto(page.url().replace("resize?tab=schema", "gone"))
    await page.getByText("There is no model vision/gone").waitFor()
  })
})

describe("the playground", () => {
  consoleTest("is one step from the home of a new account", async ({ open }) => {
    const page = await open("empty", "/")
    await page.getByRole("link", { name: "Make a picture" }).click()
    await page.getByRole("button", { name: /^Run · about \$0\.0000/ }).waitFor()
  })

  consoleTest(
    "runs an input once for a double click, and shows picture and cost, also after a reload",
    async ({ open }) => {
      const page = await open("ada", "/models/sandbox/media", { expects: /400/ })
      const submits: Array<string> = []
      page.on("request", (request) => {
        if (request.method() === "POST" && request.url().endsWith("/sandbox/media"))
          submits.push(request.url())
      })
      await page.getByRole("textbox", { name: /^Color/ }).fill("teal")
      await page.getByRole("textbox", { name: /^Width/ }).fill("128")
      await page.getByRole("button", { name: "Run · about $0.0000327" }).dblclick()
      const result = page.getByRole("region", { name: "Result" })
      await result.getByText("$0.000032768").waitFor()
      assert.strictEqual(submits.length, 1)
      const picture = result.getByRole("img")
      assert.strictEqual(
        await picture.evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth)),
        128
      )
      const id = requestIn(page)
      await page.reload()
      await result.getByRole("img").waitFor()
      assert.strictEqual(requestIn(page), id)
      assert.strictEqual(await page.getByRole("textbox", { name: /^Color/ }).inputValue(), "teal")
      await result.getByRole("button", { name: /^Open/ }).click()
      const viewer = page.getByRole("dialog")
      await page.keyboard.press("+")
      await viewer.getByText("150 %").waitFor()
      await page.keyboard.press("Escape")
      await viewer.waitFor({ state: "detached" })
      await page.getByText("Webhook", { exact: true }).click()
      const webhook = page.getByRole("textbox", { name: /^Webhook URL/ })
      await webhook.fill("ftp://example.com")
      await runButton(page).click()
      await page.getByText("Must be an https URL.", { exact: true }).first().waitFor()
      assert.strictEqual(await webhook.getAttribute("aria-invalid"), "true")
      await result.getByRole("link", { name: "Details and timeline" }).click()
      await page.waitForURL(new RegExp(`/requests/${id}`))
    }
  )

  consoleTest("shows errors at their fields, and begins with the first", async ({ open }) => {
    const page = await open("ada", "/models/vision/resize")
    await page.getByRole("button", { name: "Clear" }).click()
    await page.getByRole("textbox", { name: /^Width/ }).fill("0")
    await page.keyboard.press("Control+Enter")
    const image = page.getByRole("textbox", { name: "Image" })
    await page.getByText("2 fields need your attention").waitFor()
    assert.isTrue(await image.evaluate((element) => element === document.activeElement))
    assert.strictEqual(await image.getAttribute("aria-invalid"), "true")
    await page.getByText("Enter 1 or more.", { exact: true }).waitFor()
    await page.getByRole("tab", { name: "JSON" }).first().click()
    const json = page.getByRole("textbox", { name: "Input as JSON" })
    await json.fill('{"image": "https://example.com/a.png", "width": 16}')
    await page.getByRole("tab", { name: "Form" }).click()
    assert.strictEqual(await image.inputValue(), "https://example.com/a.png")
    await page.getByText("need your attention").waitFor({ state: "detached" })
  })

  consoleTest("uploads a dropped file and runs with it, and a pasted one", async ({ open }) => {
    const context = { permissions: ["clipboard-read", "clipboard-write"] }
    const page = await open("ada", "/models/vision/blurhash", { context })
    await page.getByRole("button", { name: "Clear" }).click()
    const remove = await drop(page, page.getByText("Drop a picture here"))
    await page.getByRole("img", { name: "The chosen file" }).waitFor()
    const address = await page.getByRole("textbox", { name: "Image" }).inputValue()
    assert.match(address, /\/media\/[\w-]+\/.*pixel\.png$/)
    await runButton(page).click()
    const result = page.getByRole("region", { name: "Result" })
    await result.getByText("$0.0001", { exact: true }).waitFor()
    remove()

    await page.getByRole("button", { name: "Remove" }).click()
    await copyPixel(page)
    await page.getByRole("button", { name: "Drop a picture here" }).focus()
    await page.keyboard.press("Control+v")
    await page.getByRole("img", { name: "The chosen file" }).waitFor()
    const pasted = await page.getByRole("textbox", { name: "Image" }).inputValue()
    assert.match(pasted, /\/media\/[\w-]+\/[\w-]*image\.png$/)
    assert.notStrictEqual(pasted, address)
  })

  consoleTest("shows a text while it grows, and that it was cancelled", async ({ open }) => {
    const page = await open("ada", "/models/sandbox/stream")
    await page.getByRole("textbox", { name: /^Count/ }).fill("600")
    await page.getByRole("textbox", { name: /^Delay/ }).fill("100")
    await runButton(page).click()
    const result = page.getByRole("region", { name: "Result" })
    await result.getByText(/a timeOnce upon/).waitFor()
    await result.getByText("Running").waitFor()
    // Readers who want no motion get none.
    await untilMoving(page, false)
    await page.emulateMedia({ reducedMotion: "no-preference" })
    await untilMoving(page, true)
    await result.getByRole("button", { name: "Cancel" }).click()
    // The model costs the same however much it says, so a cut output is neither kept nor charged.
    await result.getByText("Cancelled").first().waitFor()
  })

  consoleTest("sends an input as it is written, and shows it and the output so", async ({ open }) => {
    const page = await open("ada", "/models/sandbox/echo")
    const bodies: Array<string | null> = []
    page.on("request", (request) => {
      if (request.method() === "POST" && request.url().endsWith("/sandbox/echo"))
        bodies.push(request.postData())
    })
    const text = '{ "delayMs": 0, "value": {"zebra": 1.10, "apple": 18446744073709551615} }'
    await page.getByRole("tab", { name: "JSON" }).first().click()
    await page.getByRole("textbox", { name: /^Input as JSON/ }).fill(text)
    await page.getByRole("tab", { name: "Form" }).click()
    await page.getByRole("tab", { name: "curl" }).click()
    await page.getByRole("region", { name: "The call in curl" }).getByText('"zebra": 1.10,').waitFor()
    await runButton(page).click()
    const result = page.getByRole("region", { name: "Result" })
    await result.getByText("18446744073709551615").first().waitFor()
    await result.getByText("1.10", { exact: true }).first().waitFor()
    assert.deepStrictEqual(bodies, [text])
    await result.getByRole("link", { name: "Details and timeline" }).click()
    const input = page.getByRole("group", { name: "Input" })
    await input.getByText("18446744073709551615").waitFor()
    assert.match((await input.textContent()) ?? "", /zebra.*apple/s)
  })

  consoleTest("leaves the address alone once another view was asked for", async ({ open }) => {
    const page = await open("ada", "/models/sandbox/greeting")
    await page.clock.install()
    let release = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    await page.route(/UsageView/, async (route) => {
      await released
      await route.continue()
    })
    await page.getByRole("textbox", { name: /^Name/ }).fill("Grace")
    const asked = page.waitForRequest(/UsageView/)
    await page.getByRole("link", { name: "Usage", exact: true }).click()
    await asked
    // The input is written to the address of the playground 300 ms after its last change.
    await page.clock.runFor(1_000)
    release()
    await page.getByRole("heading", { name: "Usage", level: 1 }).waitFor()
    assert.strictEqual(new URL(page.url()).pathname, "/console/usage")
  })

  consoleTest("shares an input by its address", async ({ open }) => {
    const page = await open("ada", "/models/sandbox/greeting")
    await page.getByRole("textbox", { name: /^Name/ }).fill("Grace – 灯台")
    await page.waitForURL(/#input=/)
    const other = await open(
      "ada",
      new URL(page.url()).pathname.replace("/console", "") + new URL(page.url()).hash
    )
    assert.strictEqual(await other.getByRole("textbox", { name: /^Name/ }).inputValue(), "Grace – 灯台")
    await other.getByRole("tab", { name: "Python" }).click()
    await other
      .getByRole("region", { name: "The call in Python" })
      .getByText('"name": "Grace – 灯台"')
      .waitFor()
  })

  consoleTest("says why a key may not run models", async ({ open }) => {
    const page = await open("reader", "/models/sandbox/echo")
    const button = runButton(page)
    assert.strictEqual(await button.getAttribute("aria-disabled"), "true")
    await button.focus()
    await page.getByText("Your key lacks the scope requests:write.").waitFor()
  })
})
