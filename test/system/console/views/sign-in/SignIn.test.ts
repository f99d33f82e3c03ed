/**
 * Signing in and out in the browser, sessions, and keys.
 * @together test/support/console/Shared.ts
 */
import { assert, describe } from "vitest"
import { consoleTest } from "#test/support/console/ConsoleTest.ts"

describe("Signing in", () => {
  consoleTest(
    "leads to the view that was asked for, says what is wrong, and signs out",
    async ({ open, world }) => {
      const page = await open(null, "/keys", { expects: /401/ })
      const field = page.getByLabel("API key")
      assert.strictEqual(await field.getAttribute("name"), "api_key")
      assert.strictEqual(await field.getAttribute("type"), "password")
      // The field has the focus, so that a key can be pasted at once.
      await page.keyboard.type("key_0123456789abcdef_aB3dE5gH:wrong")
      await page.keyboard.press("Enter")
      await page.getByRole("alert").getByText("This key is not valid").waitFor()
      await field.fill(world.keys.ada)
      await page.keyboard.press("Enter")
      await page.getByRole("heading", { level: 1, name: "Keys" }).waitFor()
      assert.strictEqual(new URL(page.url()).pathname, "/console/keys")
      const stored = await page.evaluate(() =>
        JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])
      )
      assert.notInclude(stored, world.keys.ada.split(":")[1] ?? "")

      await page.getByRole("button", { name: "Session" }).click()
      await page.getByRole("menuitem", { name: "Sign out" }).click()
      await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor()
      await page.goto(`${world.origin}/console/keys`)
      await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor()
    }
  )

  consoleTest("takes account and password, and an operator beside the account", async ({ open, world }) => {
    const page = await open(null, "/sign-in?to=//evil.test")
    await page.getByRole("button", { name: "Use account and password" }).click()
    await page.getByLabel("Account").fill(world.accountId)
    await page.getByLabel("Password").fill(world.password)
    await page.getByRole("button", { name: "Sign in", exact: true }).click()
    await page.getByRole("navigation", { name: "Console" }).getByRole("link", { name: "Requests" }).waitFor()
    assert.strictEqual(new URL(page.url()).host, new URL(world.origin).host)

    await page.getByRole("button", { name: "Session" }).click()
    await page.getByRole("menuitem", { name: "Sign in as an operator" }).click()
    await page.getByLabel("API key").fill(world.keys.viewer)
    await page.keyboard.press("Enter")
    await page.getByRole("navigation", { name: "Console" }).getByRole("link", { name: "Overview" }).waitFor()
    await page.goto(`${world.origin}/console/sessions`)
    await page.getByText("This browser").nth(1).waitFor()
    await page.getByText("Password", { exact: true }).waitFor()
  })
})

describe("Sessions", () => {
  consoleTest("of other browsers are ended from this one", async ({ open, world }) => {
    const other = await open("empty", "/sessions", { anew: true, expects: /401/ })
    const page = await open("empty", "/sessions", { anew: true })
    await page.getByRole("button", { name: "End all others" }).click()
    await page.getByRole("alertdialog").getByRole("button", { name: "End them" }).click()
    await page.getByRole("button", { name: "End all others" }).waitFor({ state: "detached" })
    // A call that is refused leads to the sign-in, and from there back.
    await other.getByRole("link", { name: "Files" }).click()
    await other.getByRole("heading", { level: 1, name: "Sign in" }).waitFor()
    assert.strictEqual(new URL(other.url()).searchParams.get("to"), "/files")

    // All tabs of a browser have the same session.
    const tab = await page.context().newPage()
    await tab.goto(`${world.origin}/console/models/sandbox/echo`)
    await tab.getByRole("button", { name: "Session" }).click()
    await tab.getByRole("menuitem", { name: "Sign out" }).click()
    await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor()
  })
})

describe("Keys", () => {
  consoleTest("are created with some rights, shown once, rotated and revoked", async ({ open, world }) => {
    const page = await open("ada", "/keys")
    await page.getByRole("button", { name: "Create key" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByRole("button", { name: "Create key" }).click()
    await dialog.getByText("Enter a name.").waitFor()
    await dialog.getByLabel("Name").fill("journey")
    await dialog.getByText("keys:admin").click()
    await dialog.getByLabel("Budget a month, USD").fill("1.50")
    await dialog.getByRole("button", { name: "Create key" }).click()
    const secret = page.getByRole("region", { name: "key" })
    const first = (await secret.textContent()) ?? ""
    const asks = (key: string) =>
      fetch(`${world.origin}/requests?limit=1`, { headers: { authorization: `Key ${key}` } })
    assert.strictEqual((await asks(first)).status, 200)
    await page.getByRole("button", { name: "I have kept it" }).click()
    const row = page.getByRole("row").filter({ hasText: "journey" })
    await row.getByText("$1.50").waitFor()
    assert.notInclude(await page.content(), first.split(":")[1] ?? "")

    await page.getByRole("button", { name: "Actions for journey" }).click()
    await page.getByRole("menuitem", { name: "Rotate secret" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Rotate secret" }).click()
    await secret.waitFor()
    const second = (await secret.textContent()) ?? ""
    assert.notStrictEqual(second, first)
    await page.getByRole("button", { name: "I have kept it" }).click()
    assert.deepStrictEqual([(await asks(first)).status, (await asks(second)).status], [200, 200])

    await page.getByRole("button", { name: "Actions for journey" }).click()
    await page.getByRole("menuitem", { name: "Revoke" }).click()
    await page.getByRole("alertdialog").getByRole("button", { name: "Revoke key" }).click()
    await row.getByText("Revoked").waitFor()
    assert.deepStrictEqual([(await asks(first)).status, (await asks(second)).status], [401, 401])
  })

  consoleTest("keep this browser signed in when its own one is rotated", async ({ open, world }) => {
    const made = await fetch(`${world.origin}/keys`, {
      method: "POST",
      headers: { authorization: `Key ${world.keys.empty}`, "content-type": "application/json" },
      body: JSON.stringify({ name: "laptop" })
    })
    const { key } = (await made.json()) as { readonly key: string }
    const page = await open(null, "/keys")
    await page.getByLabel("API key").fill(key)
    await page.keyboard.press("Enter")
    await page.getByRole("button", { name: "Actions for laptop" }).click()
    await page.getByRole("menuitem", { name: "Rotate secret" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Rotate secret" }).click()
    await page.getByRole("region", { name: "key" }).waitFor()
    await page.getByRole("button", { name: "I have kept it" }).click()
    await page.getByText(/^rotated/).waitFor()
    await page.getByRole("button", { name: "Session" }).click()
    await page.getByRole("menuitem", { name: "API reference" }).click()
    await page.waitForURL(`${world.origin}/docs`)
  })

  consoleTest("are not shown to a key without the scope, which is told why", async ({ open }) => {
    const page = await open("reader", "/keys")
    await page.getByText("Your key may not administer keys").waitFor()
    await page.getByText("keys:admin").waitFor()
  })
})
