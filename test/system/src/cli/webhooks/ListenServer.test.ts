/** `webhooks listen` beside a real server, which delivers the same webhooks itself. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as WebhookReceiver from "#test/support/WebhookReceiver.ts"
import * as App from "#test/support/src/cli/webhooks/App.ts"
import * as Listening from "#test/support/src/cli/webhooks/Listening.ts"

const Accepted = Schema.decodeUnknownSync(Schema.Struct({ request_id: Schema.String }))

const submit = (server: string, model: string, input: unknown) =>
  Effect.promise(async () => {
    const response = await fetch(`${server}/${model}`, {
      method: "POST",
      headers: { ...ServerProcess.authorization, "content-type": "application/json" },
      body: JSON.stringify(input)
    })
    return Accepted(await response.json()).request_id
  })

describe("webhooks listen", () => {
  it.live(
    "posts each delivery once, also when the server is killed and starts again",
    () =>
      Effect.gen(function* () {
        const receiver = yield* WebhookReceiver.make()
        const app = yield* App.make()
        const dataDirectory = yield* TempDirectory.make
        const port = yield* Effect.promise(ServerProcess.freePort)
        const start = Effect.acquireRelease(
          Effect.promise(() => ServerProcess.start({ dataDirectory, port, env: WebhookReceiver.settings })),
          (server) => Effect.promise(() => server.kill("SIGKILL"))
        )
        const server = yield* start
        const webhook = {
          webhook: receiver.url(),
          webhook_events_filter: ["start", "completed"]
        }
        const slow = yield* submit(server.url, "sandbox/echo", { value: 1, delayMs: 1_500, ...webhook })
        const listening = yield* Listening.start(
          server.url,
          app.url,
          ["--events", "start,completed", "--json"],
          { apiKey: ServerProcess.apiKey }
        )
        yield* listening.until(({ stderr }) => stderr.includes("Forwarding events"))
        const before = yield* submit(server.url, "sandbox/invalid-output", { delayMs: 50, ...webhook })
        yield* app.until(2)
        yield* Effect.promise(() => server.kill("SIGKILL"))
        yield* start
        const after = yield* submit(server.url, "sandbox/fail", { delayMs: 50, ...webhook })
        const isEnd = ({ text }: App.Post) => JSON.parse(text).event === "completed"
        let ends = app.posts().filter(isEnd)
        for (let count = 3; ends.length < 3; count += 1) ends = (yield* app.until(count)).filter(isEnd)
        assert.sameMembers(
          ends.map(({ text }) => JSON.parse(text).id),
          [slow, before, after]
        )
        for (const { id, text } of ends) {
          const [delivered] = yield* receiver.until(id)
          assert.strictEqual(text, delivered?.body.toString())
        }
        // The service sends no start for a request that has ended by then.
        for (const { id, text } of app.posts()) {
          for (const { body } of receiver.of(id)) assert.strictEqual(text, body.toString())
        }
        assert.deepInclude(yield* listening.stopped, { code: 0 })
        assert.strictEqual(new Set(app.posts().map(({ id }) => id)).size, app.posts().length)
      }).pipe(Effect.scoped),
    60_000
  )
})
