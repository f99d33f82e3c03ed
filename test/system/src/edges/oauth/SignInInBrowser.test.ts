import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import type { Page } from "playwright-core"
import { ScryptCost } from "#src/features/accounts/PasswordHash.ts"
import { Passwords } from "#src/features/accounts/Passwords.ts"
import * as SignInPage from "#src/edges/oauth/pages/SignInPage.ts"
import * as Browser from "#test/support/Browser.ts"
import * as TestServer from "#test/support/TestServer.ts"
import * as PasswordNode from "#test/support/src/features/accounts/PasswordNode.ts"
import * as BrowserClient from "#test/support/src/edges/oauth/BrowserClient.ts"
import * as OAuth from "#test/support/src/edges/oauth/OAuthCalls.ts"
import * as Readability from "#test/support/src/edges/oauth/Readability.ts"

/** Timeout of a step while other tests run, ms. */
const longest = 30_000

const phone = { width: 320, height: 640 }

/** An empty page and its console errors. */
const opened = Effect.gen(function* () {
  const page = yield* Browser.openPage(phone)
  page.setDefaultTimeout(longest)
  const problems: Array<string> = []
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") problems.push(message.text())
  })
  return { page, problems }
})

const openedWithoutScripts = Effect.gen(function* () {
  const browser = yield* yield* Browser.RunningBrowser
  return yield* Effect.acquireRelease(
    Effect.promise(() => browser.newPage({ javaScriptEnabled: false })),
    (page) => Effect.promise(() => page.close())
  )
})

const keyText = Effect.map(TestServer.TestServer, ({ key }) => key.replace(/^Key /, ""))

const focused = (page: Page) =>
  page.evaluate<string>(
    `(({ id, value, textContent }) => id || value || textContent)(document.activeElement)`
  )

const press = async (page: Page, ...keys: ReadonlyArray<string>) => {
  for (const key of keys) await page.keyboard.press(key)
}

const formFor = (redirectUri: string): SignInPage.SignInForm => ({
  asking: { clientName: "Acme", redirectUri },
  token: "",
  account: "",
  error: null,
  docsUrl: ""
})

const services = Layer.merge(TestServer.layer(), Browser.layer).pipe(
  Layer.provide(Layer.succeed(ScryptCost, PasswordNode.cheap))
)

layer(services, { excludeTestServices: true })("the sign-in page in a browser", (it) => {
  const inBrowser = it.effect.skipIf(Browser.isMissing)

  inBrowser(Browser.named("works with the keyboard only, also after a wrong key"), () =>
    Effect.gen(function* () {
      const client = yield* BrowserClient.listening
      const { page, problems } = yield* opened
      const url = yield* BrowserClient.authorizationUrl(client.redirectUri)
      const key = yield* keyText
      const order = yield* Effect.promise(async () => {
        await page.goto(url)
        const order: Array<string> = []
        for (let presses = 0; presses < 5; presses++) {
          await press(page, "Tab")
          order.push(await focused(page))
        }
        return order
      })
      assert.deepStrictEqual(order, [
        "api_key",
        "With the account’s password",
        "allow",
        "deny",
        "How to list and revoke keys"
      ])
      const afterWrong = yield* Effect.promise(async () => {
        await page.getByLabel("API key").focus()
        await page.keyboard.type("alpha:wrong")
        await press(page, "Enter")
        await page.getByRole("alert").waitFor()
        return { focused: await focused(page), left: await page.getByLabel("API key").inputValue() }
      })
      assert.deepStrictEqual(afterWrong, { focused: "problem", left: "" })
      yield* Effect.promise(async () => {
        // Moves to the link in the alert, and from there to the field.
        await press(page, "Tab", "Enter")
        await page.keyboard.type(key)
        await press(page, "Enter")
        await page.waitForURL(client.home)
      })
      assert.isTrue(client.answers[0]?.has("code"))
      // Chromium reports only the refusal itself.
      assert.deepStrictEqual(
        problems.map((problem) => problem.replace(/.*status of /, "")),
        ["403 (Forbidden)"]
      )
    }).pipe(Effect.scoped)
  )

  inBrowser(Browser.named("works with a password, without JavaScript"), () =>
    Effect.gen(function* () {
      const client = yield* BrowserClient.listening
      const page = yield* openedWithoutScripts
      const url = yield* BrowserClient.authorizationUrl(client.redirectUri)
      const { key } = yield* TestServer.TestServer
      const { caller } = yield* OAuth.byKey(key)
      const password = "correct horse battery"
      yield* (yield* Passwords).set({ accountId: caller.accountId, password: Redacted.make(password) })
      yield* Effect.promise(async () => {
        await page.goto(url)
        await page.getByText("With the account’s password").click()
        await page.getByLabel("Account").fill(caller.accountId)
        await page.getByLabel("Password").fill(password)
        await page.getByRole("button", { name: "Allow" }).click()
        await page.waitForURL(client.home)
      })
      assert.isTrue(client.answers[0]?.has("code"))
    }).pipe(Effect.scoped)
  )

  inBrowser(Browser.named("denies with one click, and redirects to apps too"), () =>
    Effect.gen(function* () {
      const client = yield* BrowserClient.listening
      const { page, problems } = yield* opened
      const ofProgram = yield* BrowserClient.authorizationUrl(client.redirectUri)
      const ofApp = yield* BrowserClient.authorizationUrl("acme-app://oauth/callback")
      const key = yield* keyText
      const launched = yield* Effect.promise(async () => {
        await page.goto(ofProgram)
        await page.getByRole("button", { name: "Deny" }).click()
        await page.waitForURL(client.home)
        await page.goto(ofApp)
        await page.getByLabel("API key").fill(key)
        const launch = page.waitForEvent("requestfailed", (request) => request.url().startsWith("acme-app:"))
        await page.getByRole("button", { name: "Allow" }).click()
        const { searchParams } = new URL((await launch).url())
        await page.getByRole("heading", { name: "Allowed" }).waitFor()
        return searchParams
      })
      assert.strictEqual(client.answers[0]?.get("error"), "access_denied")
      assert.isTrue(launched.has("code"))
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped)
  )

  inBrowser(Browser.named("is accessible: names, roles, contrast, and fits a phone"), () =>
    Effect.gen(function* () {
      const { page } = yield* opened
      const url = yield* BrowserClient.authorizationUrl(`https://${"long.".repeat(30)}example.com/callback`)
      yield* Effect.promise(async () => {
        await page.goto(url)
        await page.getByText("With the account’s password").click()
        await page.getByLabel("Account").fill("acme")
        await page.getByRole("button", { name: "Allow" }).click()
        await page.getByRole("alert").waitFor()
      })
      for (const colorScheme of ["light", "dark"] as const) {
        yield* Effect.promise(() => page.emulateMedia({ colorScheme }))
        const look = yield* Effect.promise(() => page.evaluate<Readability.Readability>(Readability.look))
        assert.deepStrictEqual(look.faint, [], colorScheme)
        assert.isAtLeast(look.seen, 20)
        assert.isAtMost(look.wide, phone.width)
      }
      const read = yield* Effect.promise(() => page.locator("main").ariaSnapshot())
      for (const part of [
        '- heading "Allow Acme to use your account?" [level=1]',
        '- heading "It will be able to" [level=2]',
        '- form "Sign in to allow it":',
        '- textbox "API key"',
        '- textbox "Account" [invalid]: acme',
        '- textbox "Password" [invalid]',
        '- button "Allow"',
        '- button "Deny"'
      ]) {
        assert.include(read, part)
      }
    }).pipe(Effect.scoped)
  )

  inBrowser(Browser.named("allows its form to lead only to the client's address"), () =>
    Effect.gen(function* () {
      const client = yield* BrowserClient.listening
      const shown = { policyFor: "", location: "" }
      const port = yield* BrowserClient.serving(({ method }, response) => {
        if (method === "POST") return response.writeHead(303, { location: shown.location }).end()
        const { headers, html } = SignInPage.render(formFor(shown.policyFor))
        return response.writeHead(200, headers).end(html)
      })
      /** Whether the browser follows the redirect after the form. */
      const goes = Effect.fnUntraced(function* (policyFor: string, location: string) {
        Object.assign(shown, { policyFor, location })
        const { page } = yield* opened
        return yield* Effect.promise(async () => {
          await page.goto(`http://127.0.0.1:${port}/`)
          const asksFor = page.waitForRequest(location).then(() => true)
          const complains = page.waitForEvent("console", (message) => message.text().includes("form-action"))
          await page.getByRole("button", { name: "Deny" }).click({ noWaitAfter: true })
          return Promise.race([asksFor, complains.then(() => false)])
        })
      }, Effect.scoped)
      assert.isFalse(yield* goes("https://acme.dev/callback", client.redirectUri))
      for (const target of [client.redirectUri, "https://127.0.0.1:1/callback", "acme-app:/callback"]) {
        assert.isTrue(yield* goes(target, target), target)
      }
    }).pipe(Effect.scoped)
  )

  inBrowser(Browser.named("cannot be framed"), () =>
    Effect.gen(function* () {
      const client = yield* BrowserClient.listening
      const { page } = yield* opened
      const url = yield* BrowserClient.authorizationUrl(client.redirectUri)
      const port = yield* BrowserClient.serving((_, response) =>
        response
          .writeHead(200, { "content-type": "text/html" })
          .end(`<iframe src="${url.replaceAll("&", "&amp;")}"></iframe>`)
      )
      const framed = yield* Effect.promise(async () => {
        await page.goto(`http://127.0.0.1:${port}/`)
        return page.frames().map((frame) => frame.url())
      })
      assert.deepStrictEqual(framed, [`http://127.0.0.1:${port}/`, "chrome-error://chromewebdata/"])
    }).pipe(Effect.scoped)
  )
})
