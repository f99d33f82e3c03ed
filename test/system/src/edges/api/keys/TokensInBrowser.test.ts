/**
 * The examples for pages, as a user has them: a page of another origin in a browser, the route of a Next.js application, a server
 * and a worker that streams. Then everything that a page may not do.
 */
import * as fs from "node:fs"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import * as path from "node:path"
import { text } from "node:stream/consumers"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import type { Page } from "playwright-core"
import { POST as tokenRoute } from "../../../../../../examples/nextjs/app/api/inferlog-token/route.ts"
import { POST as uploadRoute } from "../../../../../../examples/nextjs/app/api/inferlog-upload/route.ts"
import * as Environment from "#test/support/Environment.ts"
import * as Browser from "#test/support/Browser.ts"
import * as Server from "#test/support/ServerProcess.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as HttpWorker from "#test/support/upstreams/streams/Http.ts"
import * as ReactExample from "#test/support/src/edges/http/ReactExample.ts"

const longestTest = 60_000

const files: Readonly<Record<string, string>> = {
  "/": "examples/browser/index.html",
  "/inferlog-client.js": "clients/typescript/dist/index.js",
  "/react/": "examples/react/index.html"
}

const types: Readonly<Record<string, string>> = { ".html": "text/html", ".js": "text/javascript" }

const routes: Readonly<Record<string, typeof tokenRoute>> = {
  "/api/inferlog-token": tokenRoute,
  "/api/inferlog-upload": uploadRoute
}

/** The server of the application: its pages, and the routes. */
const application = Effect.acquireRelease(
  Effect.promise(async () => {
    const script = await ReactExample.script()
    const server = http.createServer(async (request, response) => {
      const { method = "GET", url = "/" } = request
      const route = routes[url]
      if (method === "POST" && route !== undefined) {
        const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)] as const)
        const asked = new Request(`http://app${url}`, {
          method,
          headers: [...headers].map(([a, b]) => [a, b]),
          body: await text(request)
        })
        const answer = await route(asked)
        response.writeHead(answer.status, Object.fromEntries(answer.headers))
        return void response.end(await answer.text())
      }
      const name = files[url]
      const isScript = url === "/react/main.jsx"
      if (name === undefined && !isScript) return void response.writeHead(404).end()
      const type = isScript ? "text/javascript" : types[path.extname(name ?? "")]
      response.writeHead(200, { "content-type": type ?? "text/plain" })
      response.end(isScript ? script : fs.readFileSync(path.join(Server.root, name ?? "")))
    })
    await new Promise<void>((resolve) => server.listen(0, () => resolve()))
    return server
  }),
  (server) =>
    Effect.sync(() => {
      server.close()
      server.closeAllConnections()
    })
)

const manifest = (binding: object) => ({
  kind: "model",
  name: "acme/writer",
  displayName: "Writer",
  description: "Writes.",
  category: "text",
  provider: binding,
  output: { stream: "text" },
  pricing: { unit: "request", unitPrice: "0.001", quantity: "1" },
  inputSchema: { type: "object", required: ["text"], properties: { text: { type: "string" } } },
  outputSchema: { type: "string" },
  exampleInput: { text: "hello" }
})

const start = Effect.gen(function* () {
  const worker = yield* HttpWorker.make
  const directory = yield* TempDirectory.make
  const models = yield* TempDirectory.make
  fs.writeFileSync(path.join(models, "writer.json"), JSON.stringify(manifest(worker.binding)))
  const server = yield* Effect.acquireRelease(
    Effect.promise(async () =>
      Server.start({
        dataDirectory: directory,
        port: await Server.freePort(),
        env: { MODELS_DIR: models, WORKER_SECRET: worker.secret }
      })
    ),
    (server) => Effect.promise(() => server.kill("SIGTERM"))
  )
  const app = yield* application
  const { port } = app.address() as AddressInfo
  const origin = `http://127.0.0.1:${port}`
  yield* Environment.use({
    INFERLOG_URL: server.url,
    INFERLOG_API_KEY: Server.apiKey,
    APP_ORIGIN: origin,
    DEMO_USER: "ada"
  })
  return { worker, server, origin, otherOrigin: `http://localhost:${port}` }
})

/** What a page sees of a call: an error of `fetch` has neither. */
const Seen = Schema.Struct({
  status: Schema.optionalKey(Schema.Number),
  code: Schema.optionalKey(Schema.NullOr(Schema.String)),
  requestId: Schema.optionalKey(Schema.NullOr(Schema.String)),
  failed: Schema.optionalKey(Schema.String)
})
const decodeSeen = Schema.decodeUnknownSync(Seen)

interface Asked {
  readonly method?: string
  readonly path: string
  readonly token: string
  readonly body?: unknown
}

/** Calls the server from the page's own script. */
const from =
  (page: Page, url: string) =>
  ({ body, method = "GET", path, token }: Asked) =>
    Effect.promise(async () => {
      const init = {
        method,
        headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
        ...(body !== undefined && { body: JSON.stringify(body) })
      }
      const call = `fetch(${JSON.stringify(url + path)}, ${JSON.stringify(init)})
        .then(async (answer) => {
          const text = answer.headers.get("content-type") === "text/event-stream" ? "{}" : await answer.text()
          const { details } = JSON.parse(text || "{}")
          return { status: answer.status, code: details?.code ?? null, requestId: answer.headers.get("x-request-id") }
        })
        .catch(({ name }) => ({ failed: name }))`
      const { requestId, ...seen } = decodeSeen(await page.evaluate(call))
      if (seen.status !== undefined) assert.match(requestId ?? "", /^call_/, path)
      return seen
    })

const Made = Schema.decodeUnknownSync(Schema.Struct({ token: Schema.String }))
const Accepted = Schema.decodeUnknownSync(Schema.Struct({ request_id: Schema.String }))
const Listed = Schema.decodeUnknownSync(
  Schema.Struct({ data: Schema.Tuple([Schema.Struct({ id: Schema.String })]) })
)
const Key = Schema.decodeUnknownSync(Schema.Struct({ id: Schema.String, key: Schema.String }))

const Upload = Schema.decodeUnknownSync(Schema.Struct({ upload_url: Schema.String, file_url: Schema.String }))

/** A call of the application's server. */
const ask = (url: string, path: string, body: unknown, key: string = Server.apiKey) =>
  Effect.promise(async () => {
    const headers = { authorization: `Key ${key}`, "content-type": "application/json" }
    const answer = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) })
    return (await answer.json()) as unknown
  })

const notGranted = { status: 403, code: "TOKEN_NOT_GRANTED" }

describe("a page of another origin", () => {
  it.live.skipIf(Browser.isMissing)(
    Browser.named(
      "submits with a token and shows each part of the output when it is made, and no page does more"
    ),
    () =>
      Effect.gen(function* () {
        const { origin, otherOrigin, server, worker } = yield* start
        const page = yield* Browser.openPage({ width: 800, height: 600 })
        page.setDefaultTimeout(30_000)
        yield* worker.plan("held")
        const output = page.locator("#output")
        yield* Effect.promise(async () => {
          await page.goto(origin)
          await page.getByLabel("Prompt").fill("hello")
          await page.getByRole("button", { name: "Run" }).click()
          // The worker makes the rest only after this.
          await page.locator("#output", { hasText: /^He$/ }).waitFor()
          assert.isTrue(await page.getByRole("button", { name: "Run" }).isDisabled())
        })
        yield* worker.more
        yield* Effect.promise(() => page.getByText("COMPLETED, 0.001 USD").waitFor())
        assert.strictEqual(yield* Effect.promise(() => output.textContent()), "Hello wörld")
        const listed = yield* Effect.promise(async () =>
          (await fetch(`${server.url}/requests`, { headers: Server.authorization })).json()
        )
        const own = Listed(listed).data[0].id

        // What it may not.
        const call = from(page, server.url)
        const token = (body: object, key?: string) =>
          Effect.map(
            ask(server.url, "/keys/tokens", { origins: [origin], ...body }, key),
            (made) => Made(made).token
          )
        const ofModel = yield* token({ models: ["acme/writer"] })
        const ofRequest = yield* token({ request: own })
        const reads = yield* token({ readOnly: true })
        const status = `/acme/writer/requests/${own}/status`
        const { request_id: other } = Accepted(yield* ask(server.url, "/sandbox/echo", { value: 1 }))
        const otherStatus = `/sandbox/echo/requests/${other}/status`

        const submit = { method: "POST", path: "/acme/writer", body: { text: "hi" } }
        assert.deepStrictEqual(yield* call({ path: status, token: ofRequest }), { status: 200, code: null })
        assert.deepStrictEqual(yield* call({ path: "/requests", token: reads }), { status: 200, code: null })
        // Another model, and another request.
        const elsewhere = { method: "POST", path: "/sandbox/echo", body: { value: 1 } }
        const refusedModel = { status: 403, code: "MODEL_NOT_GRANTED" }
        assert.deepStrictEqual(yield* call({ ...elsewhere, token: ofModel }), refusedModel)
        for (const [path, token] of [
          [otherStatus, ofRequest],
          [otherStatus, ofModel],
          [status, ofModel]
        ] as const) {
          assert.deepStrictEqual(yield* call({ path, token }), { status: 403, code: null }, path)
        }
        // Keys, billing, lists, and tokens of tokens.
        for (const token of [ofModel, ofRequest, reads]) {
          for (const [method, path, body] of [
            ["GET", "/keys", undefined],
            ["POST", "/keys", { name: "mine" }],
            ["DELETE", "/keys/test", undefined],
            ["POST", "/keys/tokens", { readOnly: true }],
            ["GET", "/account/balance", undefined],
            ["GET", "/usage", undefined],
            ["GET", "/billing/events", undefined],
            ["GET", "/files", undefined],
            ["POST", "/webhooks/default/secret/rotate", {}]
          ] as const) {
            assert.deepStrictEqual(
              yield* call({ method, path, body, token }),
              notGranted,
              `${method} ${path}`
            )
          }
        }
        assert.deepStrictEqual(yield* call({ path: "/requests", token: ofModel }), notGranted)
        assert.deepStrictEqual(yield* call({ ...submit, token: reads }), notGranted)
        assert.deepStrictEqual(yield* call({ ...submit, token: ofRequest }), notGranted)
        // A key that names no origins.
        assert.deepStrictEqual(yield* call({ path: status, token: Server.apiKey }), { failed: "TypeError" })
        // After the key has been revoked, and after the token's time.
        const made = Key(yield* ask(server.url, "/keys", { name: "page" }))
        const revoked = yield* token({ readOnly: true }, made.key)
        const short = yield* token({ readOnly: true, expiresIn: 1 })
        assert.strictEqual((yield* call({ path: "/requests", token: revoked })).status, 200)
        yield* Effect.promise(() =>
          fetch(`${server.url}/keys/${made.id}`, { method: "DELETE", headers: Server.authorization })
        )
        assert.deepStrictEqual(yield* call({ path: "/requests", token: revoked }), {
          status: 401,
          code: null
        })
        const expired = call({ path: "/requests", token: short }).pipe(
          Effect.repeat({ until: (seen) => seen.status !== 200 })
        )
        assert.deepStrictEqual(yield* expired, { status: 401, code: null })

        // A file, to the URL that the application's server hands out.
        const picture = { file_name: "a.txt", content_type: "text/plain" }
        const upload = Upload(yield* ask(server.url, "/storage/upload/initiate", picture))
        const put = { method: "PUT", headers: { "Content-Type": "text/plain" }, body: "from a page" }
        const script = `fetch(${JSON.stringify(upload.upload_url)}, ${JSON.stringify(put)})
          .then(() => fetch(${JSON.stringify(upload.file_url)})).then((answer) => answer.text())`
        assert.strictEqual(yield* Effect.promise(() => page.evaluate<string>(script)), "from a page")

        // A page of another origin, with the same token.
        const stranger = yield* Browser.openPage({ width: 800, height: 600 })
        yield* Effect.promise(() => stranger.goto(otherOrigin))
        const strange = from(stranger, server.url)
        assert.deepStrictEqual(yield* strange({ path: status, token: ofRequest }), { failed: "TypeError" })
        assert.deepStrictEqual(yield* strange({ ...submit, token: ofModel }), { failed: "TypeError" })
        const own403 = yield* Effect.promise(() =>
          stranger.evaluate<number>(
            `fetch("/api/inferlog-token", { method: "POST" }).then(({ status }) => status)`
          )
        )
        assert.strictEqual(own403, 403)
        for (const secret of [ofModel, ofRequest, reads]) assert.notInclude(server.output(), secret)

        yield* ReactExample.check({ origin, serverUrl: server.url, worker })
      }).pipe(Effect.scoped, Effect.provide(Browser.layer)),
    longestTest
  )
})
