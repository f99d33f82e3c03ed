/** The routes of the examples for Next.js, Hono and Express: tokens for pages, and receivers of webhooks. */
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Webhook } from "standardwebhooks"
import { app as hono } from "../../../examples/hono/app.ts"
import * as NextToken from "../../../examples/nextjs/app/api/inferlog-token/route.ts"
import * as NextUpload from "../../../examples/nextjs/app/api/inferlog-upload/route.ts"
import * as NextWebhook from "../../../examples/nextjs/app/api/inferlog-webhook/route.ts"
import * as Environment from "#test/support/Environment.ts"
import * as TestServer from "#test/support/TestServer.ts"

const origin = "https://app.example"
const secret = `whsec_${Buffer.alloc(24, 7).toString("base64")}`

type Serve = (request: Request) => Promise<Response>

const next: Serve = async (request) => {
  const routes = { token: NextToken, upload: NextUpload, webhook: NextWebhook }
  const name = /^\/api\/inferlog-(token|upload|webhook)$/.exec(new URL(request.url).pathname)?.[1]
  return routes[name as keyof typeof routes].POST(request)
}

const decodeExpress = (module: unknown) => module as { readonly app: http.RequestListener }

/** Express answers at a port of its own. */
const express = Effect.acquireRelease(
  Effect.promise(async () => {
    // It has no types.
    const file: string = "../../../examples/express/app.mjs"
    const server = http.createServer(decodeExpress(await import(/* @vite-ignore */ file)).app)
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    return server
  }),
  (server) => Effect.sync(() => server.close())
).pipe(
  Effect.map((server): Serve => {
    const { port } = server.address() as AddressInfo
    return async (request) => {
      const url = `http://127.0.0.1:${port}${new URL(request.url).pathname}`
      const { headers, method } = request
      return fetch(url, { method, headers, body: await request.text() })
    }
  })
)

const frameworks = {
  "Next.js": Effect.succeed(next),
  Hono: Effect.succeed<Serve>(async (request) => hono.fetch(request)),
  Express: express
} as const

const decodeToken = Schema.decodeUnknownSync(
  Schema.Struct({ url: Schema.String, token: Schema.String, expiresAt: Schema.String })
)
const decodeUpload = Schema.decodeUnknownSync(
  Schema.Struct({ upload_url: Schema.String, file_url: Schema.String })
)

const post = (path: string, headers: Record<string, string> = {}, body: string | null = null) =>
  new Request(`${origin}/api/inferlog-${path}`, { method: "POST", headers, body })

/** What the examples read. Other tests of this process must not find it. */
const withSettings = Effect.gen(function* () {
  const { key, urls } = yield* TestServer.TestServer
  const settings = {
    INFERLOG_URL: urls.baseUrl,
    INFERLOG_API_KEY: key.replace("Key ", ""),
    APP_ORIGIN: origin,
    DEMO_USER: "ada",
    WEBHOOK_SECRET: secret
  }
  yield* Environment.use(settings)
  return urls
})

layer(TestServer.layer(), { excludeTestServices: true })("the routes of the examples", (it) => {
  it.effect.each(Object.entries(frameworks))(
    "in %s make tokens for the person who is signed in",
    ([, framework]) =>
      Effect.gen(function* () {
        const { baseUrl } = yield* withSettings
        const serve = yield* framework
        const ask = (headers: Record<string, string>) => Effect.promise(() => serve(post("token", headers)))
        const answer = yield* ask({ origin })
        assert.strictEqual(answer.headers.get("cache-control"), "no-store")
        const { token, url } = decodeToken(yield* Effect.promise(() => answer.json()))
        assert.strictEqual(url, baseUrl)
        // It opens its model, here one that the server lacks, and no other.
        const call = (model: string) =>
          Effect.promise(async () => {
            const headers = { authorization: `Key ${token}`, origin, "content-type": "application/json" }
            return (await fetch(`${baseUrl}/${model}`, { method: "POST", headers, body: "{}" })).status
          })
        assert.deepStrictEqual([yield* call("acme/writer"), yield* call("sandbox/echo")], [404, 403])

        assert.strictEqual((yield* ask({ origin: "https://other.example" })).status, 403)
        delete process.env["DEMO_USER"]
        assert.strictEqual((yield* ask({ origin })).status, 401)
      }).pipe(Effect.scoped)
  )

  it.effect.each(Object.entries(frameworks))("in %s take signed deliveries only", ([, framework]) =>
    Effect.gen(function* () {
      yield* withSettings
      const serve = yield* framework
      const body = JSON.stringify({ event: "completed", id: "rq_1", output: { text: "naïve ☃" } })
      const now = new Date()
      const headers = {
        "content-type": "application/json",
        "webhook-id": "msg_1",
        "webhook-timestamp": String(Math.floor(now.getTime() / 1_000)),
        "webhook-signature": new Webhook(secret).sign("msg_1", now, body)
      }
      const deliver = (body: string) =>
        Effect.promise(async () => (await serve(post("webhook", headers, body))).status)
      assert.deepStrictEqual([yield* deliver(body), yield* deliver(`${body} `)], [204, 400])
    }).pipe(Effect.scoped)
  )

  it.effect("in Next.js begin uploads of pictures, and of nothing else", () =>
    Effect.gen(function* () {
      yield* withSettings
      const ask = (file: object) =>
        Effect.promise(() => next(post("upload", { origin }, JSON.stringify(file))))
      const picture = { file_name: "cat.png", content_type: "image/png", size: 3 }
      const { file_url: fileUrl, upload_url: uploadUrl } = decodeUpload(
        yield* Effect.flatMap(ask(picture), (answer) => Effect.promise(() => answer.json()))
      )
      yield* Effect.promise(() =>
        fetch(uploadUrl, { method: "PUT", headers: { "content-type": "image/png" }, body: "cat" })
      )
      assert.strictEqual(yield* Effect.promise(async () => (await fetch(fileUrl)).text()), "cat")
      assert.strictEqual((yield* ask({ ...picture, size: 1e9 })).status, 400)
      assert.strictEqual((yield* ask({ ...picture, content_type: "text/html" })).status, 400)
    })
  )
})
