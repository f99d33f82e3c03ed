import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import * as ConsoleFiles from "#src/edges/console/assets/ConsoleFiles.ts"
import * as ContentSecurityPolicy from "#src/edges/console/assets/ContentSecurityPolicy.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import * as TestServer from "#test/support/TestServer.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import { assertEnvelope, call } from "#test/support/src/edges/http/Calls.ts"

/** The files that the page names, with their digests. */
const references = (html: string) =>
  [...html.matchAll(/(?:src|href)="([^"]+\/assets\/[^"]+)" integrity="sha384-([^"]+)"/g)].map(
    ([, file = "", digest = ""]) => ({ file, digest })
  )

layer(TestServer.layer(), { excludeTestServices: true })("GET /console", (it) => {
  it.effect("is a page with a strict policy, which loads nothing from elsewhere", () =>
    Effect.gen(function* () {
      const { headers, status, text } = yield* call({ path: "/console" })
      assert.strictEqual(status, 200)
      assert.strictEqual(headers["content-type"], "text/html; charset=utf-8")
      assert.strictEqual(headers["cache-control"], "no-cache")
      const policy = String(headers["content-security-policy"])
      assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'; /)
      assert.include(policy, "require-trusted-types-for 'script'")
      const [first = "", ...others] = policy.split(", ")
      assert.notMatch(first, /unsafe|\*/)
      assert.deepStrictEqual(others, ["script-src *:*/console/assets/; style-src *:*/console/assets/"])
      assert.notMatch(text, /https?:\/\//)
      assert.notMatch(text, /<style|<script(?![^>]* src=)|\son\w+=|\sstyle=/)
    })
  )

  it.effect("names its files with the digests of what is served", () =>
    Effect.gen(function* () {
      const { text } = yield* call({ path: "/console" })
      const named = references(text)
      assert.isAbove(named.length, 1)
      assert.strictEqual([...text.matchAll(/\/assets\//g)].length, named.length)
      for (const { digest, file } of named) {
        const { bytes, headers } = yield* call({ path: file })
        assert.strictEqual(crypto.createHash("sha384").update(bytes).digest("base64"), digest)
        assert.strictEqual(headers["cache-control"], "public, max-age=31536000, immutable")
        assert.strictEqual(headers["x-content-type-options"], "nosniff")
      }
    })
  )

  it.effect("is the page for the path of any view, with any query", () =>
    Effect.gen(function* () {
      const { text } = yield* call({ path: "/console" })
      for (const path of ["/console/requests/rqP6ygo9O--wOOMeSi63d", "/console/operate/overview?a=b"]) {
        assert.strictEqual((yield* call({ path })).text, text)
      }
    })
  )

  it.effect("has no other files, and takes no other methods", () =>
    Effect.gen(function* () {
      for (const path of [
        "/console/session/",
        "/console//session",
        "/console/./requests",
        "/console/assets/other.js",
        "/console/assets/..%2fstamp",
        "/console/assets/"
      ]) {
        assertEnvelope(yield* call({ path }), 404)
      }
      assertEnvelope(yield* call({ method: "POST", path: "/console/requests" }), 405)
    })
  )
})

describe("The files of the console", () => {
  it.effect("are allowed below the path of a proxy, whose commas and semicolons end no source", () =>
    Effect.gen(function* () {
      const address = "https://example.com/a,b;c"
      const urls = { queueUrl: address, baseUrl: address, mediaUrl: address, mcpUrl: "https://example.com" }
      const policy = yield* ContentSecurityPolicy.make("/a,b;c/console").pipe(
        Effect.provide(PublicUrls.layerOf(urls))
      )
      const files = "*:*/a%2Cb%3Bc/console/assets/"
      assert.strictEqual(policy.split(", ")[1], `script-src ${files}; style-src ${files}`)
    })
  )

  it.effect("are found below the path of a proxy", () =>
    Effect.gen(function* () {
      const folder = yield* TempDirectory.make
      fs.mkdirSync(path.join(folder, "assets"))
      fs.writeFileSync(path.join(folder, "icon.svg"), "<svg/>")
      fs.writeFileSync(
        path.join(folder, "index.html"),
        '<meta name="inferlog-path" content="/console" /><script src="./assets/a.js"></script>'
      )
      const page = yield* ConsoleFiles.make("/below/console", folder).page
      const html = Option.map(page, ({ bytes }) => Buffer.from(bytes).toString())
      assert.deepStrictEqual(
        html,
        Option.some(
          '<meta name="inferlog-path" content="/below/console" /><script src="/below/console/assets/a.js"></script>'
        )
      )
    }).pipe(Effect.scoped)
  )

  it.effect("are absent where the console is not built", () =>
    Effect.gen(function* () {
      const files = ConsoleFiles.make("/console", "/nowhere")
      assert.isTrue(Option.isNone(yield* files.page))
      assert.isTrue(Option.isNone(yield* files.file("icon.svg")))
    })
  )
})
