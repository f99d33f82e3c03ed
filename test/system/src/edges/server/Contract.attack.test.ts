/** Checks the promises of the contract and the OpenAPI document against one real server. */
import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as InProcess from "#test/support/src/cli/InProcess.ts"
import * as ToolClient from "#test/support/src/edges/mcp/ToolClient.ts"
import { OAuthClient } from "#test/support/src/edges/oauth/OAuthClient.ts"
import { raw, send } from "#test/support/HttpProbe.ts"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as Seen from "#test/support/attacks/Seen.ts"

const start = Effect.gen(function* () {
  const { url } = yield* Seen.start(yield* TempDirectory.make)
  const port = Number(new URL(url).port)
  const { json } = yield* send(port, { path: "/openapi.json" })
  const paths: Readonly<Record<string, Readonly<Record<string, object>>>> = Object(json).paths
  const operations = Object.entries(paths).flatMap(([template, item]) =>
    Object.keys(item).map((method) => ({
      method: method.toUpperCase(),
      path: template
        .replace("{ownerName}", "sandbox")
        .replace("{modelName}", "echo")
        .replaceAll(/\{\w+\}/g, "rq0qXk2Ab-0Zp1aB3dE5f")
    }))
  )
  return { port, url, paths, operations }
})

class Attacked extends Context.Service<Attacked, Effect.Success<typeof start>>()(
  "inferlog/test/attacks/Contract"
) {
  static readonly layer = Layer.effect(Attacked, start)
}

const key = ServerProcess.authorization
const headOf = ({ method, path }: { readonly method: string; readonly path: string }) =>
  `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: ${key.authorization}\r\n`
/**
 * Routes where an undeclared parameter is allowed: third parties extend the URLs of files, callbacks and pages, and OAuth
 * ignores unknown parameters (RFC 6749, 3.1; RFC 8414, 3). Worker and tool routes refuse an account's key first.
 */
const ignoresUnknown = [
  "/media/",
  "/callbacks/",
  "/docs",
  "/oauth/",
  "/.well-known/",
  "/workers/",
  "/mcp",
  "/v1/"
]

const statusOf = (answer: string) => Number(answer.split(" ")[1])

const urlsOf = (url: string) => ({ queueUrl: url, baseUrl: url, mediaUrl: url, mcpUrl: url })

layer(Attacked.layer, { excludeTestServices: true })((it) => {
  describe("C4: undocumented answers", () => {
    it.effect("every operation returns only declared answers, whatever is wrong with the call", () =>
      Effect.gen(function* () {
        const { operations, paths, port } = yield* Attacked
        assert.isAtLeast(operations.length, 60)
        for (const operation of operations) {
          const { path } = operation
          // `send` fails the test on an undeclared answer.
          yield* send(port, operation)
          // An event stream does not end.
          if (!path.endsWith("/stream")) {
            yield* send(port, { ...operation, headers: key })
            yield* send(port, { ...operation, headers: { ...key, "content-type": "text/plain" }, body: "{" })
          }
          yield* send(port, { path, method: "PATCH", headers: key })
          const large = yield* raw(port, `${headOf(operation)}x-large: ${"x".repeat(17_000)}\r\n\r\n`)
          assert.strictEqual(statusOf(large), 431, path)
        }
        for (const operation of Object.values(paths).flatMap((item) => Object.values(item)))
          assert.containsAllKeys(Reflect.get(operation, "responses"), ["405", "431", "503"])
      })
    )
  })

  describe("C5: ids of calls, and progress", () => {
    it.effect(
      "the id of an error is not the id of a request, and the status and both streams show progress",
      () =>
        Effect.gen(function* () {
          const { port, url } = yield* Attacked
          const refused = yield* send(port, { path: "/requests", headers: {} })
          const id = String(Object(refused.json).request_id)
          assert.match(id, /^call_/)
          for (const path of [`/requests/${id}`, `/sandbox/echo/requests/${id}/status`]) {
            assert.include([400, 404], (yield* send(port, { path, headers: key })).status)
          }
          const { json } = yield* send(port, {
            method: "POST",
            path: "/sandbox/slow",
            headers: { ...key, "content-type": "application/json" },
            body: '{"seconds":4}'
          })
          const request = String(Object(json).request_id)
          const bodyOf = (path: string) =>
            Effect.promise(async () => (await fetch(url + path, { headers: key })).text())
          const [one, all] = yield* Effect.all(
            [
              bodyOf(`/sandbox/slow/requests/${request}/status/stream`),
              bodyOf(`/requests/stream?request_id=${request}`)
            ],
            { concurrency: 2 }
          )
          assert.match(one, /"status":"IN_PROGRESS".*"progress":0\.\d/)
          assert.match(all, /event: progress\ndata: .*"progress":0\.\d/)
        })
    )
  })

  describe("C6: misspelled parameters", () => {
    it.effect("every operation rejects an undeclared query parameter and repeats only its name", () =>
      Effect.gen(function* () {
        const { operations, port } = yield* Attacked
        for (const operation of operations) {
          if (ignoresUnknown.some((begin) => operation.path.startsWith(begin))) continue
          const path = `${operation.path}?stauts=secret-value`
          const { status, text } = yield* send(port, { ...operation, path, headers: key })
          const isOfOthers = operation.path.startsWith("/compat/")
          assert.strictEqual(
            isOfOthers ? [400, 422].includes(status) : status === 400,
            true,
            `${operation.method} ${path}: ${text}`
          )
          // The clients of others have forms of their own.
          assert.include(text, isOfOthers ? "stauts" : '"path":["stauts"]', path)
          assert.notInclude(text, "secret-value", path)
        }
      })
    )
  })

  describe("C7: people who explore the server", () => {
    it.effect(
      "a browser is redirected to the console, and a misspelled command gets a suggestion in plain text",
      () =>
        Effect.gen(function* () {
          const { port } = yield* Attacked
          const { headers, status } = yield* send(port, { path: "/", headers: { accept: "text/html" } })
          assert.deepStrictEqual([status, headers.location], [303, "console"])
          const result = yield* Effect.promise(() => InProcess.run(["accuonts"], {}))
          assert.notStrictEqual(result.code, 0)
          assert.match(result.stderr, /Did you mean/)
          assert.notInclude(result.stderr + result.stdout, "\u{fffd}")
        })
    )
  })

  describe("C8: an API key sent as Bearer", () => {
    it.effect("opens the same routes as under Key and not the tools; a token opens no account route", () =>
      Effect.gen(function* () {
        const { port, url } = yield* Attacked
        const bearer = { authorization: `Bearer ${ServerProcess.apiKey}` }
        const list = (headers: Readonly<Record<string, string>>) => send(port, { path: "/requests", headers })
        assert.strictEqual((yield* list(bearer)).status, 200)
        const client = yield* Effect.promise(() => OAuthClient.register(urlsOf(url)))
        const { access_token: token } = yield* Effect.promise(() =>
          client.tokens({ api_key: ServerProcess.apiKey, decision: "allow" })
        )
        const ofToken = { authorization: `Bearer ${token}` }
        const tools = (headers: Readonly<Record<string, string>>) =>
          ToolClient.post(port, ToolClient.initialize(), headers)
        assert.deepStrictEqual([(yield* tools(ofToken)).status, (yield* tools(bearer)).status], [200, 401])
        assert.strictEqual((yield* list(ofToken)).status, 401)
        const submitted = yield* send(port, {
          method: "POST",
          path: "/sandbox/echo",
          headers: { ...ofToken, "content-type": "application/json" },
          body: '{"value":1}'
        })
        assert.strictEqual(submitted.status, 401)
        const { text } = yield* send(port, { path: "/docs" })
        assert.include(text, '"preferredSecurityScheme":"bearer"')
      })
    )
  })
})
