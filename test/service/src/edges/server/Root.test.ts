import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { version } from "#src/kernel/program/ReleaseVersion.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { call } from "#test/support/src/edges/http/Calls.ts"

const ofBrowsers = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

layer(TestServer.layer(), { excludeTestServices: true })("GET /", (it) => {
  it.effect("redirects a browser to the console", () =>
    Effect.gen(function* () {
      const { headers, status } = yield* call({ path: "/", headers: { accept: ofBrowsers } })
      assert.strictEqual(status, 303)
      assert.strictEqual(headers.location, "console")
      assert.strictEqual(headers.vary, "accept")
    })
  )

  for (const accept of ["application/json", "*/*", undefined]) {
    it.effect(`names the reference to a program that accepts ${accept ?? "anything"}`, () =>
      Effect.gen(function* () {
        const headers = accept === undefined ? {} : { accept }
        const { json, status } = yield* call({ path: "/", headers })
        assert.strictEqual(status, 200)
        const { console, docs, openapi, ...rest } = Object(json)
        assert.deepStrictEqual(rest, { name: "inferlog", version })
        assert.strictEqual(new URL(console).pathname, "/console")
        for (const url of [docs, openapi]) {
          assert.strictEqual((yield* call({ path: new URL(url).pathname })).status, 200)
        }
      })
    )
  }
})
