/**
 * Webhooks in the console: a delivery as sent and answered, sent again, and a sample that verifies.
 * @together test/support/console/Shared.ts
 */
import type { IncomingMessage } from "node:http"
import * as http from "node:http"
import type { Page } from "playwright-core"
import { Webhook } from "standardwebhooks"
import { assert } from "vitest"
import { consoleTest } from "#test/support/console/ConsoleTest.ts"

interface Received {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A receiver on this machine that answers each request with 202 and a text. */
const receiver = async () => {
  const received: Array<Received> = []
  const read = async (request: IncomingMessage) => {
    const chunks: Array<Buffer> = []
    for await (const chunk of request) chunks.push(chunk)
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)])
    received.push({ headers: Object.fromEntries(headers), body: Buffer.concat(chunks).toString() })
  }
  const server = http.createServer((request, response) => {
    void read(request).then(() => response.writeHead(202, { "content-type": "text/plain" }).end("thank you"))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return { received, url: `http://127.0.0.1:${port}/hook`, close: () => server.close() }
}

/** Reads the signing secret, and whether this POST verifies with it. */
const verified = async (page: Page, { body, headers }: Received): Promise<unknown> => {
  await page.getByRole("button", { name: "Show secret" }).click()
  const secret = await page.getByText(/^whsec_[A-Za-z0-9+/]/).innerText()
  return new Webhook(secret).verify(body, { ...headers })
}

consoleTest(
  "leads from a picture of the playground to its cost, its timeline and its verified webhook",
  async ({ open }) => {
    const hook = await receiver()
    try {
      const page = await open("ada", "/models/sandbox/media")
      await page.getByText("Webhook", { exact: true }).click()
      await page.getByRole("textbox", { name: /^Webhook URL/ }).fill(hook.url)
      await page.getByRole("button", { name: "Run · about $0.0000655" }).click()
      const result = page.getByRole("region", { name: "Result" })
      await result.getByText("$0.000065536").waitFor()
      await result.getByRole("img").waitFor()
      await result.getByRole("link", { name: "Details and timeline" }).click()
      const events = page.getByRole("list", { name: "Events" })
      await events.getByText(/^Webhook accepted: .*202/).waitFor()

      await page.getByRole("link", { name: "Webhook deliveries" }).click()
      const rows = page.getByRole("table", { name: "Deliveries of webhooks" }).getByRole("row")
      await rows.nth(1).getByText("Delivered").waitFor()
      assert.strictEqual(await rows.count(), 2)
      await rows.getByRole("link", { name: /^msg_/ }).click()
      const [post] = hook.received
      if (post === undefined) return assert.fail("nothing arrived")
      const sent = await page.getByRole("region", { name: "Request as sent" }).innerText()
      assert.include(sent, `webhook-id: ${post.headers["webhook-id"]}\n`)
      assert.include(sent, post.body)
      const answer = await page.getByRole("region", { name: "Response" }).innerText()
      assert.match(answer, /^HTTP\/1\.1 202[^]*thank you$/)

      await page.getByRole("link", { name: "Webhooks" }).click()
      await page.getByRole("tab", { name: "Signing secret" }).click()
      const { event, output } = Object(await verified(page, post))
      assert.deepStrictEqual([event, output.image.contentType], ["completed", "image/png"])
    } finally {
      hook.close()
    }
  }
)

consoleTest("shows a delivery with its request and response, and sends it again", async ({ open, world }) => {
  const page = await open("ada", "/webhooks?event=start")
  await page.getByRole("link", { name: /^msg_/ }).first().click()
  await page.getByRole("heading", { level: 1, name: /^Delivery msg_/ }).waitFor()
  const request = page.getByRole("region", { name: "Request as sent" })
  await request.waitFor()
  const sent = await request.innerText()
  assert.match(sent, /^POST \/hooks HTTP\/1\.1/)
  assert.match(sent, /webhook-signature: v1,/)
  assert.include(sent, '"event":"start"')
  assert.include(sent, new URL(world.receivers.good).host)
  await page.getByRole("button", { name: "Send again" }).click()
  await page.getByRole("button", { name: "Show attempt 2" }).waitFor()
  await page.getByRole("rowheader", { name: "Show attempt 2" }).waitFor()
})

consoleTest("shows why a receiver refused", async ({ open }) => {
  const page = await open("ada", "/webhooks?status=pending")
  await page.getByRole("link", { name: /^msg_/ }).first().click()
  const response = page.getByRole("region", { name: "Response" })
  await response.waitFor()
  const text = await response.innerText()
  assert.include(text, "HTTP/1.1 500")
  assert.include(text, "Out of order")
})

consoleTest("sends a sample that a receiver can verify with the secret shown", async ({ open }) => {
  const hook = await receiver()
  try {
    const page = await open("ada", "/webhooks")
    await page.getByRole("tab", { name: "Test a receiver" }).click()
    await page.getByRole("textbox", { name: "URL" }).fill(hook.url)
    await page.getByRole("button", { name: "Send sample" }).click()
    const response = page.getByRole("region", { name: "Response" })
    await response.waitFor()
    assert.include(await response.innerText(), "thank you")
    const [sample] = hook.received
    if (sample === undefined) return assert.fail("nothing arrived")
    await page.getByRole("tab", { name: "Signing secret" }).click()
    assert.deepInclude(Object(await verified(page, sample)), { event: "completed" })
  } finally {
    hook.close()
  }
})

consoleTest("counts the failed deliveries of a time before it sends them again", async ({ open }) => {
  const page = await open("ada", "/webhooks")
  await page.getByRole("button", { name: "Send failed ones again" }).click()
  await page
    .getByRole("alertdialog")
    .getByText(/No delivery has failed|sent again, with ten/)
    .waitFor()
  await page.keyboard.press("Escape")
})
