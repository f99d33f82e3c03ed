/**
 * The targets that a server with default settings refuses, in every spelling: at the submit, with the reason, and
 * without repeating any of it. `test/unit/src/kernel/outbound/AddressPolicy.test.ts` has more forms.
 */
import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { Answer } from "#test/support/src/platform/cluster/nodes/Calls.ts"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"
import type * as ServerProcess from "#test/support/ServerProcess.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as Client from "#test/support/src/features/webhooks/deliveries/Client.ts"

/** In each path, user name and query below. */
const mark = "zebra4711"

const refused: ReadonlyArray<readonly [code: string, url: string]> = [
  ["not_https", `http://93.184.216.34/${mark}`],
  ["not_https", `ftp://93.184.216.34/${mark}`],
  ["not_https", `javascript:alert("${mark}")`],
  ["not_https", `//93.184.216.34/${mark}`],
  ["not_https", `https:93.184.216.34/${mark}`],
  ["not_https", mark],
  ["malformed", `https:///${mark}`],
  ["malformed", `https://93.184.216.34\\${mark}`],
  ["malformed", `https://93.184.216.34/\t${mark}`],
  ["malformed", `https://93.184.216.34 /${mark}`],
  ["malformed", `https://①②⑦.⓪.⓪.①/${mark}`],
  ["malformed", `https://93.184.216.34:99999/${mark}`],
  ["malformed", `https://[::1/${mark}`],
  ["malformed", ` https://93.184.216.34/${mark}`],
  ["credentials", `https://${mark}@93.184.216.34/`],
  ["credentials", `https://user:${mark}@93.184.216.34/`],
  ["credentials", `https://93.184.216.34:443@127.0.0.1/${mark}`],
  ["private_address", `https://127.0.0.1#@93.184.216.34/${mark}`],
  ["private_address", `https://127.0.0.1?@93.184.216.34/${mark}`],
  ["forbidden_port", `https://93.184.216.34:0/${mark}`],
  ["too_long", `https://93.184.216.34/${mark}${"x".repeat(2_048)}`],
  ["too_long", `https://127.0.0.1/${mark}`.padEnd(2_049, "x")],
  ["private_address", `https://127.0.0.1/${mark}`.padEnd(2_048, "x")],
  ...[
    "localhost",
    "localhost.",
    "LOCALHOST",
    "a.localhost",
    "db.local",
    "metadata.google.internal",
    "router.lan",
    "host",
    "hooks.test",
    "hooks.example",
    "a.invalid",
    "1.0.0.127.in-addr.arpa"
  ].map((host) => ["forbidden_host", `https://${host}/${mark}`] as const),
  ...[
    "127.0.0.1",
    "127.0.0.1.",
    "127.1",
    "2130706433",
    "0x7f.1",
    "0177.0.0.1",
    "%31%32%37.0.0.1",
    "0.0.0.0",
    "0",
    "10.1.2.3",
    "100.64.0.1",
    "169.254.169.254",
    "168.63.129.16",
    "172.16.0.1",
    "192.168.1.1",
    "198.18.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "[::]",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:8.8.8.8]",
    "[64:ff9b::7f00:1]",
    "[2002:7f00:1::]",
    "[fd00::1]",
    "[fe80::1]",
    "[ff02::1]",
    "[2001:db8::1]"
  ].map((host) => ["private_address", `https://${host}/${mark}`] as const)
]

interface Issue {
  readonly path: ReadonlyArray<string>
  readonly message: string
  readonly code: string
}

const issuesOf = ({ body }: Answer) => body["error"] as ReadonlyArray<Issue>

/** None of it is repeated. */
const checkRefusal = (answer: Answer, code: string, url: string) => {
  assert.strictEqual(answer.status, 400, url)
  assert.deepStrictEqual(
    issuesOf(answer).map((issue) => [issue.path, issue.code]),
    [[["webhook"], code]],
    url
  )
  const text = JSON.stringify(answer.body)
  assert.notInclude(text, mark)
  assert.notMatch(text, /\d+\.\d+\.\d+\.\d+|::/)
}

const submit = (server: Client.Client, fields: object) =>
  server.call("/sandbox/echo", { method: "POST", body: { value: 1, ...fields } })

class Server extends Context.Service<Server, Client.Client & ServerProcess.ServerProcess>()(
  "inferlog/test/webhook-delivery/Server"
) {
  static readonly layer = Layer.effect(
    Server,
    Effect.flatMap(TempDirectory.make, (dataDirectory) =>
      Client.start({ dataDirectory, env: { ALLOW_PRIVATE_TARGETS: "false" } })
    )
  )
}

describe("a submit", () => {
  layer(Server.layer, { excludeTestServices: true })((it) => {
    it.effect(`is rejected for each of ${refused.length} forbidden webhooks, with its reason`, () =>
      Effect.gen(function* () {
        const server = yield* Server
        for (const [code, webhook] of refused) checkRefusal(yield* submit(server, { webhook }), code, webhook)
        assert.notInclude(server.output(), mark)
      })
    )

    it.effect("is rejected for a webhook that no event of its filter can reach", () =>
      Effect.gen(function* () {
        const server = yield* Server
        const webhook = `https://93.184.216.34/${mark}`
        const cases: ReadonlyArray<readonly [fields: object, path: ReadonlyArray<string>]> = [
          [{ webhook_events_filter: ["completed"] }, ["webhook_events_filter"]],
          [{ webhook, webhook_events_filter: [mark] }, ["webhook_events_filter", "0"]],
          [{ webhook, webhook_events_filter: ["completed", "logs"] }, ["webhook_events_filter", "1"]]
        ]
        for (const [fields, path] of cases) {
          const answer = yield* submit(server, fields)
          assert.strictEqual(answer.status, 400)
          assert.deepStrictEqual(
            issuesOf(answer).map((issue) => issue.path.map(String)),
            [path]
          )
          assert.notInclude(JSON.stringify(answer.body), mark)
        }
      })
    )

    it.effect("that is rejected contacts no host, and leaves no delivery", () =>
      Effect.gen(function* () {
        const server = yield* Server
        const canary = yield* Receiver.silent()
        for (const host of ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]"]) {
          const { status } = yield* submit(server, { webhook: `https://${host}:${canary.port}/` })
          assert.strictEqual(status, 400)
        }
        assert.strictEqual(canary.connections(), 0)
        const { body } = yield* server.call("/webhooks/deliveries")
        assert.strictEqual(body["total"], 0)
      })
    )

    it.effect(
      "is rejected for a webhook to the server itself, even where private addresses are allowed",
      () =>
        Effect.gen(function* () {
          const server = yield* Client.start({ dataDirectory: yield* TempDirectory.make })
          const { port } = new URL(server.url)
          for (const origin of [
            `http://127.0.0.1:${port}`,
            `https://127.0.0.1:${port}`,
            `http://0.0.0.0:${port}`,
            `http://[::ffff:127.0.0.1]:${port}`,
            `http://localhost:${port}`
          ]) {
            checkRefusal(yield* submit(server, { webhook: `${origin}/${mark}` }), "private_address", origin)
          }
        })
    )
  })
})
