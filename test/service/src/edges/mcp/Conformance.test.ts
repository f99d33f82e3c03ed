/**
 * The protocol's conformance suite, against the endpoint with the product's tools and those that the suite needs.
 *
 * @process the suite is a program.
 */
import * as childProcess from "node:child_process"
import * as path from "node:path"
import { once } from "node:events"
import { text } from "node:stream/consumers"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { OAuthClient } from "#test/support/src/edges/oauth/OAuthClient.ts"
import { root } from "#test/support/ServerProcess.ts"
import * as TestServer from "#test/support/TestServer.ts"
import * as BearerProxy from "#test/support/src/edges/mcp/BearerProxy.ts"
import * as ConformanceTools from "#test/support/src/edges/mcp/ConformanceTools.ts"

const suite = path.join(root, "node_modules/@modelcontextprotocol/conformance/dist/index.js")
const baseline = path.join(import.meta.dirname, "conformance-baseline.yml")

/** The exit code of the suite: 1 if a test outside the baseline fails, or one in the baseline passes. */
const run = (url: string) =>
  Effect.promise(async (signal) => {
    const args = ["server", "--url", url, "--suite", "all", "--expected-failures", baseline]
    const child = childProcess.spawn(process.execPath, [suite, ...args], { signal, env: {} })
    const [output, errors, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, "exit")
    ])
    return { code, output: `${output}\n${errors}` }
  })

layer(TestServer.layer({ tools: ConformanceTools.layer }), { excludeTestServices: true })(
  "the conformance suite of the protocol",
  (it) => {
    it.effect("passes, except for the documented baseline", () =>
      Effect.gen(function* () {
        const { key, port, urls } = yield* TestServer.TestServer
        const { access_token: accessToken } = yield* Effect.promise(async () =>
          (await OAuthClient.register(urls)).tokens({ api_key: key.replace(/^Key /, ""), decision: "allow" })
        )
        const proxy = yield* BearerProxy.open({ port, accessToken })
        const { code, output } = yield* run(`${proxy.url}/mcp`)
        assert.strictEqual(code, 0, output)
        assert.include(output, "Baseline check passed")
      })
    )
  }
)
