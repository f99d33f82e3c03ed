import * as crypto from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as ErrorPage from "#src/edges/oauth/pages/ErrorPage.ts"
import * as ReturnPage from "#src/edges/oauth/pages/ReturnPage.ts"
import * as SignInPage from "#src/edges/oauth/pages/SignInPage.ts"
import * as SignInError from "#src/edges/oauth/pages/SignInError.ts"

const form: SignInPage.SignInForm = {
  asking: { clientName: "Claude", redirectUri: "https://claude.ai/api/mcp/auth_callback" },
  token: "token-of-the-form",
  account: "",
  error: null,
  docsUrl: "https://api.acme.dev/docs"
}

const from = (redirectUri: string, clientName: string | null = "Claude") =>
  SignInPage.render({ ...form, asking: { clientName, redirectUri } })

const titleOf = (html: string): string => /<h1>([\s\S]*?)<\/h1>/.exec(html)?.[1] ?? ""
const shownTarget = (html: string): string => /<strong>([\s\S]*?)<\/strong>/.exec(html)?.[1] ?? ""
const policyOf = ({ headers }: { readonly headers: Readonly<Record<string, string>> }): string =>
  headers["content-security-policy"] ?? ""

/** The page with only text in values from outside. */
const skeleton = (html: string): string =>
  (html.match(/<[^>]*>/g) ?? []).map((tag) => tag.replaceAll(/"[^"]*"/g, '""')).join("")

/** Characters of markup, and characters outside ASCII. */
const anyText = fc.oneof(
  fc.string({ minLength: 1 }),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { minLength: 1 })
    .map((units) => String.fromCharCode(...units))
)

describe("the sign-in page", () => {
  it("shows the client's claimed name, and the host of its redirect address", () => {
    const { html } = from("https://claude.ai/api/mcp/auth_callback?x=1")
    assert.include(titleOf(html), "<bdi>Claude</bdi>")
    assert.include(html, "The name has not been checked.")
    assert.strictEqual(shownTarget(html), "claude.ai")
  })

  it.each([
    ["http://127.0.0.1:33418/", "127.0.0.1:33418 (this computer)", "http://127.0.0.1:33418"],
    ["http://localhost/cb", "localhost (this computer)", "http://localhost"],
    ["http://[::1]:9/cb", "[::1]:9 (this computer)", "http:"],
    ["https://localhost.evil.dev/", "localhost.evil.dev", "https://localhost.evil.dev"],
    ["https://clаude.ai/cb", "xn--clude-5ve.ai", "https://xn--clude-5ve.ai"],
    ["https://claude.ai@evil.dev:8443/", "evil.dev:8443", "https://evil.dev:8443"],
    ["https://a;sandbox.dev/", "a;sandbox.dev", "https:"],
    ["https://*.dev/", "*.dev", "https:"],
    [
      "cursor://anysphere.cursor-mcp/oauth/callback?a=b",
      "cursor://anysphere.cursor-mcp/oauth/callback",
      "cursor:"
    ],
    ["com.acme.app:/oauth", "com.acme.app:/oauth", "com.acme.app:"],
    ["COM.App://Claude.ai/x", "com.app://Claude.ai/x", "com.app:"]
  ])("for %s shows %s and allows the form to lead to %s", (redirectUri, shown, source) => {
    const page = from(redirectUri)
    assert.strictEqual(shownTarget(page.html), shown)
    assert.include(policyOf(page), `; form-action 'self' ${source};`)
  })

  it("escapes all values", () => {
    const hostile = `</h1><script>alert(1)</script><img src=x onerror="a">'"&`
    const page = SignInPage.render({
      ...form,
      asking: { clientName: hostile, redirectUri: `x-app://${encodeURIComponent(hostile)}/<b>'"` },
      account: `"><script>alert(1)</script>`
    })
    assert.notInclude(page.html, "<script")
    assert.notInclude(page.html, "<img")
    assert.include(page.html, "&lt;/h1&gt;&lt;script&gt;")
  })

  it("has the same elements and a valid policy for all names, addresses and accounts", () => {
    const expected = skeleton(SignInPage.render({ ...form, account: "a" }).html)
    const policy =
      /^default-src 'none'; style-src 'sha256-[\w+/=]+'; img-src data:; form-action 'self' [a-z][\w.+-]*:[^\s;,'*]*; frame-ancestors 'none'; base-uri 'none'$/
    fc.assert(
      fc.property(
        anyText.map((text) => `a${text}`),
        fc
          .string()
          .map((text) => `https://a${text}`)
          .filter((address) => URL.canParse(address)),
        anyText,
        (clientName, redirectUri, account) => {
          const page = SignInPage.render({ ...form, asking: { clientName, redirectUri }, account })
          assert.strictEqual(skeleton(page.html), expected)
          assert.match(policyOf(page), policy)
        }
      ),
      { numRuns: 100 }
    )
  })

  it("removes invisible characters from a name, and shortens it", () => {
    const name = `\u202EevilA\u200Bcme\u0000\n  two ${"x".repeat(100)}`
    const shown = /<bdi>(.*?)<\/bdi>/s.exec(from("https://a.dev", name).html)?.[1] ?? ""
    assert.strictEqual(shown, `evilAcme two ${"x".repeat(47)}…`)
    for (const none of [
      null,
      "",
      " \u200B\n",
      "\u3164\u2800",
      "\u115F\u1160\uFFA0",
      " \u0301\u0302",
      "\u{1D159}"
    ]) {
      assert.include(titleOf(from("https://a.dev", none).html), "Allow an assistant to use")
    }
  })

  it.each([
    ["marks that pile up", "C\u0327\u0328\u0329\u032A\u032Blaude", "Ç\u0328\u0329laude"],
    [
      "marks with invisible characters between",
      "C\u0327\u034F\u0328\u200B\u0329\u034F\u032A",
      "Ç\u0328\u0329"
    ],
    ["marks on nothing", "\u0301A \u0302B", "A B"],
    ["composed characters", "Tro\u031B\u0323 ly\u0301", "Trợ lý"],
    ["marks that are letters' own", "ผู้ช่วย", "ผู้ช่วย"],
    ["invisible letters", "Cl\u3164au\u2800de", "Claude"]
  ])("keeps a name within its lines: %s", (_, name, shown) => {
    assert.include(titleOf(from("https://a.dev", name).html), `<bdi>${shown}</bdi>`)
  })

  it("uses only styles that its policy allows", () => {
    const page = from("https://a.dev")
    const css = /<style>([\s\S]*?)<\/style>/.exec(page.html)?.[1] ?? ""
    assert.include(policyOf(page), `style-src 'sha256-${crypto.hash("sha256", css, "base64")}'`)
    assert.deepInclude(page.headers, {
      "cache-control": "no-store",
      "referrer-policy": "same-origin",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY"
    })
  })

  it("links an error to its field, and opens the section that contains it", () => {
    const error = SignInError.passwordRefused
    const { html } = SignInPage.render({ ...form, account: "acme", error })
    assert.match(html, /<div class="problem" id="problem" role="alert" tabindex="-1" autofocus>/)
    assert.include(html, '<a href="#account">')
    assert.match(html, /<details open>/)
    assert.include(html, "<title>Error: ")
    assert.strictEqual(
      html.match(/aria-invalid="true" aria-describedby="(account-hint )?problem"/g)?.length,
      2
    )
    assert.notMatch(from("https://a.dev").html, /role="alert"|aria-invalid="|<details open|autofocus/)
  })

  it.each([
    [1, "1 second."],
    [119, "119 seconds."],
    [121, "3 minutes."]
  ])("shows %d seconds to wait as %s", (seconds, words) => {
    assert.match(SignInError.tooManySignIns(seconds, "Key").advice, new RegExp(`in ${words}$`))
  })
})

describe("the other pages", () => {
  it("an error escapes all values, and has no form", () => {
    const page = ErrorPage.render({ title: "<i>", paragraphs: ["<b>&", '"'], requestId: "<u>" })
    assert.notMatch(page.html, /<[ibu]>/)
    assert.include(page.html, "&lt;b&gt;&amp;")
    assert.include(policyOf(page), "form-action 'none'")
  })

  it("the last one continues automatically, and by a link", () => {
    const address = "https://mcp.acme.dev/oauth/authorize/uid"
    const page = ReturnPage.render({ decision: "deny", redirectUri: "https://a.dev", address })
    assert.strictEqual(page.headers["refresh"], `0; url=${address}`)
    assert.include(page.html, `<a href="${address}">`)
    assert.strictEqual(titleOf(page.html), "Denied")
  })
})
