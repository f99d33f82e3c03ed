/** `webhooks listen` posts exactly what the service would post: body, id, headers and signature. */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Webhook } from "standardwebhooks"
import type { Json } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
import { RequestId } from "#domain/Ids.ts"
import type { JudgedOutcome } from "#domain/Outcome.ts"
import type { WebhookEventName } from "#domain/inference-request/Event.ts"
import { status } from "#domain/inference-request/Status.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import { RequestActors } from "#src/features/requests/RequestActors.ts"
import { Requests } from "#src/features/requests/Requests.ts"
import * as SnapshotOf from "#src/features/requests/Snapshot.ts"
import * as DeliveryBody from "#src/features/webhooks/DeliveryBody.ts"
import * as DeliveryIds from "#src/features/requests/DeliveryIds.ts"
import { accepted, call, submit } from "#test/support/src/edges/http/Calls.ts"
import { scenarios } from "#test/support/src/edges/http/Scenarios.ts"
import * as Lifecycle from "#test/support/Lifecycle.ts"
import * as TestServer from "#test/support/TestServer.ts"
import * as App from "#test/support/src/cli/webhooks/App.ts"
import * as Listening from "#test/support/src/cli/webhooks/Listening.ts"
import * as StreamFront from "#test/support/src/cli/webhooks/StreamFront.ts"

const snapshotOf = Effect.fnUntraced(function* (id: RequestId) {
  const snapshot = SnapshotOf.of(id, yield* (yield* RequestActors).current(id))
  return snapshot ?? (yield* Effect.die(`${id} is not known`))
})

/** The bytes that the service would store for it now. */
const frozen = Effect.fnUntraced(function* (id: RequestId, event: WebhookEventName) {
  const snapshot = yield* snapshotOf(id)
  const { input, output } = yield* (yield* Requests).payloads(snapshot)
  const textOf = (value: Json) => (value === null ? null : JsonText.write(value))
  return DeliveryBody.text(yield* PublicUrls, event, snapshot, {
    input: textOf(input),
    output: event === "start" ? null : textOf(output)
  })
})

const setUp = Effect.fnUntraced(function* (events: string) {
  const { key, port } = yield* TestServer.TestServer
  const app = yield* App.make()
  const front = yield* StreamFront.make({ behind: port })
  const listening = yield* Listening.start(front.url, app.url, ["--events", events], {
    apiKey: key.replace(/^Key /, "")
  })
  return { app, listening, stream: yield* front.next }
})

const Secret = Schema.Struct({ key: Schema.String })

/** Verified with the package that receivers use. */
const verified = Effect.fnUntraced(function* ({ headers, text }: App.Post) {
  const { json } = yield* call({ path: "/webhooks/default/secret" })
  const { key } = yield* Schema.decodeUnknownEffect(Secret)(json)
  return new Webhook(key).verify(text, {
    "webhook-id": String(headers["webhook-id"]),
    "webhook-timestamp": String(headers["webhook-timestamp"]),
    "webhook-signature": String(headers["webhook-signature"])
  })
})

const { cancelled, failed, invalidOutput, partial, providerFailed, succeeded } = scenarios

/** Its start was never reported, and its deadline has passed. */
const expired = Effect.gen(function* () {
  const reply = yield* submit({ value: 1 }, { "cancel-after": "1" })
  const { request_id } = yield* Schema.decodeUnknownEffect(Schema.Struct({ request_id: RequestId }))(
    reply.json
  )
  const { request } = yield* snapshotOf(request_id)
  yield* (yield* RequestActors).execute(request_id, { _tag: "Expire", at: request.submitted.at + 1_000 })
  return request_id
})

/** Keys that JavaScript objects reorder or treat specially. */
const awkward = Effect.gen(function* () {
  const input = JSON.parse(`{"value":{"b":1e21,"10":"ä\\u2028😀","9":[{}],"__proto__":{"z":null,"a":0.1}}}`)
  const id = yield* accepted("sandbox/echo", input)
  yield* Lifecycle.start(id)
  yield* Lifecycle.deliver(id, input)
  return id
})

const upstream = { status: 400, code: "context_length_exceeded", param: "messages" }

const endedWith = (outcome: JudgedOutcome) =>
  Effect.gen(function* () {
    const id = yield* accepted()
    yield* Lifecycle.start(id)
    yield* Lifecycle.end(id, outcome)
    return id
  })

const explainedFailure = endedWith({ _tag: "ModelFailed", message: "Too long.", upstream })
const explainedRefusal = endedWith({
  _tag: "ProviderError",
  message: "Too long.",
  retryable: false,
  upstream
})

const ends = [
  ["succeeded", succeeded],
  ["partial", partial],
  ["invalid_output", invalidOutput],
  ["provider_failed", providerFailed],
  ["failed", failed],
  ["provider_failed", explainedFailure],
  ["failed", explainedRefusal],
  ["cancelled", cancelled],
  ["expired", expired],
  ["succeeded", awkward]
] as const

layer(TestServer.layer(), { excludeTestServices: true })("webhooks listen", (it) => {
  it.effect("posts every end byte for byte as the service does", () =>
    Effect.gen(function* () {
      const { app, stream } = yield* setUp("completed")
      let posted = 0
      for (const [outcome, scenario] of ends) {
        const id = yield* scenario
        const { request } = yield* snapshotOf(id)
        stream.frame(String(posted), id, status(request), request.submitted.model)
        posted += 1
        const post = (yield* app.until(posted)).at(-1)
        if (post === undefined) return assert.fail()
        assert.strictEqual(post.text, yield* frozen(id, "completed"), outcome)
        assert.deepInclude(JSON.parse(post.text), { id, outcome, event: "completed" })
        assert.strictEqual(post.id, DeliveryIds.of(id, "completed"))
        assert.deepStrictEqual(yield* verified(post), JSON.parse(post.text))
        assert.deepStrictEqual(post.headers, {
          host: new URL(app.url).host,
          connection: "keep-alive",
          "content-type": "application/json",
          "content-length": String(Buffer.byteLength(post.text)),
          "user-agent": "inferlog-webhooks/1",
          "webhook-id": post.id,
          "webhook-timestamp": post.headers["webhook-timestamp"],
          "webhook-signature": post.headers["webhook-signature"]
        })
      }
    }).pipe(Effect.scoped)
  )

  it.effect("posts a start unchanged, even if the request has ended since", () =>
    Effect.gen(function* () {
      const { app, stream } = yield* setUp("start,completed")
      const id = yield* accepted()
      yield* Lifecycle.start(id)
      const atStart = yield* frozen(id, "start")
      stream.frame("1", id, "IN_QUEUE")
      stream.frame("2", id, "IN_PROGRESS")
      const [first] = yield* app.until(1)
      yield* Lifecycle.deliver(id, { value: 1 })
      const other = yield* accepted()
      yield* Lifecycle.start(other)
      const otherAtStart = yield* frozen(other, "start")
      yield* Lifecycle.deliver(other, { value: 1 })
      stream.frame("3", other, "IN_QUEUE")
      stream.frame("4", other, "IN_PROGRESS")
      const [, second] = yield* app.until(2)
      stream.frame("5", id, "COMPLETED")
      const [, , third] = yield* app.until(3)
      assert.deepStrictEqual([first?.text, second?.text], [atStart, otherAtStart])
      assert.strictEqual(first?.id, DeliveryIds.of(id, "start"))
      assert.notProperty(JSON.parse(atStart), "billingStatus")
      assert.strictEqual(third?.text, yield* frozen(id, "completed"))
    }).pipe(Effect.scoped)
  )

  it.effect("posts a start without what the provider said of an error since", () =>
    Effect.gen(function* () {
      const { app, stream } = yield* setUp("start")
      const id = yield* accepted()
      yield* Lifecycle.start(id)
      const atStart = yield* frozen(id, "start")
      yield* Lifecycle.end(id, { _tag: "ProviderError", message: "Too long.", retryable: false, upstream })
      stream.frame("1", id, "IN_QUEUE")
      stream.frame("2", id, "IN_PROGRESS")
      const [post] = yield* app.until(1)
      assert.strictEqual(post?.text, atStart)
    }).pipe(Effect.scoped)
  )
})
