/** fal's client in a page of another origin, with `proxyUrl`, as the guide sets it up. */
import * as http from "node:http"
import { assert, layer } from "@effect/vitest"
import type * as Fal from "@fal-ai/client"
import { Effect } from "effect"
import { build } from "rolldown"
import * as Browser from "#test/support/Browser.ts"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as FalClients from "#test/support/src/edges/fal/FalClients.ts"

declare const falClient: typeof Fal

const entry = "@fal-ai/client"

/** The client as a script of a page. */
const script = Effect.promise(async () => {
  const { output } = await build({
    input: entry,
    platform: "browser",
    write: false,
    logLevel: "silent",
    output: { format: "iife", name: "falClient" }
  })
  return output[0].code
})

/** The origin of an application that is not the server's. */
const application = (code: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = http.createServer(({ url }, response) => {
        const isScript = url === "/client.js"
        response.writeHead(200, { "content-type": isScript ? "text/javascript" : "text/html" })
        response.end(isScript ? code : '<!doctype html><script src="client.js"></script>')
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()))
      const address = server.address()
      return { server, origin: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}` }
    }),
    ({ server }) =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  )

/** A field of what the server answers to a call with its key. */
const made = (url: string, path: string, body: object, field: string) =>
  Effect.promise(async () => {
    const headers = { ...ServerProcess.authorization, "content-type": "application/json" }
    const answer = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) })
    const json: unknown = await answer.json()
    assert.strictEqual(answer.status, 201, JSON.stringify(json))
    return String(Reflect.get(Object(json), field))
  })

layer(Browser.layer, { excludeTestServices: true })("fal's client in a page", (it) => {
  it.effect.skipIf(Browser.isMissing)(
    Browser.named("runs, subscribes, streams and uploads across origins, with what a page may hold"),
    () =>
      Effect.gen(function* () {
        const { url } = yield* FalClients.server
        const { origin } = yield* application(yield* script)
        const page = yield* Browser.openPage({ width: 400, height: 300 })
        const models = ["sandbox/echo", "sandbox/slow"]
        const token = yield* made(url, "/keys/tokens", { models, origins: [origin] }, "token")
        const key = yield* made(url, "/keys", { name: "page", origins: [origin] }, "key")
        const seen = yield* Effect.promise(async () => {
          await page.goto(origin)
          return page.evaluate(
            async ({ key, proxyUrl, token }) => {
              const connect = (credentials: string) =>
                falClient.createFalClient({ credentials, proxyUrl, suppressLocalCredentialsWarning: true })
              const fal = connect(token)
              const run = await fal.run("sandbox/echo", { input: { value: "bar" } })
              const statuses: Array<string> = []
              const subscribed = await fal.subscribe("sandbox/slow", {
                input: { seconds: 0.2 },
                mode: "streaming",
                onQueueUpdate: ({ status }) => statuses.push(status)
              })
              const stream = await fal.stream("sandbox/echo", { input: { value: "baz" } })
              const streamed = await stream.done()
              const refused = await fal.storage
                .upload(new Blob(["x"]))
                .catch((error: Fal.ApiError<unknown>) => error)
              const invalid = await fal.run("sandbox/echo", {}).catch((error: Fal.ValidationError) => error)
              const fileUrl = await connect(key).storage.upload(new Blob(["Hello"], { type: "text/plain" }))
              return {
                run,
                subscribed,
                last: statuses.at(-1),
                streamed,
                streamId: stream.requestId,
                refused: refused instanceof falClient.ApiError ? refused.status : refused,
                invalid: invalid instanceof falClient.ValidationError ? invalid.fieldErrors[0]?.loc : invalid,
                stored: await (await fetch(fileUrl)).text()
              }
            },
            { key, proxyUrl: `${url}/compat/fal`, token }
          )
        })
        assert.deepStrictEqual(seen.run.data, { value: "bar" })
        assert.match(seen.run.requestId, /^[\w-]{21}$/)
        assert.deepStrictEqual(seen.subscribed.data, { slept: 0.2 })
        assert.strictEqual(seen.last, "COMPLETED")
        assert.deepStrictEqual(seen.streamed, { value: "baz" })
        assert.match(seen.streamId ?? "", /^[\w-]{21}$/)
        assert.strictEqual(seen.refused, 403)
        assert.deepStrictEqual(seen.invalid, ["body", "value"])
        assert.strictEqual(seen.stored, "Hello")
      })
  )
})
