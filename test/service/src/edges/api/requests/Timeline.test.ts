import { assert, describe, it, layer } from "@effect/vitest"
import { Deferred, Effect, Layer } from "effect"
import type { RequestId } from "#domain/Ids.ts"
import * as Http from "#src/edges/server/HttpServer.ts"
import { RequestActors } from "#src/features/requests/RequestActors.ts"
import type { DeliveryActors } from "#src/features/webhooks/DeliveryActors.ts"
import { EventReader, EventStoreError } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import type { Payloads } from "#streams/Payload.ts"
import { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as StreamName from "#streams/StreamName.ts"
import * as Lifecycle from "#test/support/Lifecycle.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { accepted, assertEnvelope, call, issuesOf, submit } from "#test/support/src/edges/http/Calls.ts"
import * as Deliveries from "#test/support/src/edges/http/Deliveries.ts"

interface Event {
  readonly position: string
  readonly type: string
  readonly at: string
  readonly data: Readonly<Record<string, unknown>>
}

interface Timeline {
  readonly page: number
  readonly limit: number
  readonly total: number
  readonly totalPages: number
  readonly data: ReadonlyArray<Event>
  readonly next: string | null
}

const ask = (id: string, query = "", headers: Readonly<Record<string, string>> = {}) =>
  call({ path: `/requests/${id}/events${query}`, headers })

const timeline = (id: string, query = "?limit=100"): Effect.Effect<Timeline, never, TestServer.TestServer> =>
  Effect.map(ask(id, query), ({ json, status, text }) => {
    assert.strictEqual(status, 200, text)
    return Object(json)
  })

const typesOf = ({ data }: Timeline) => data.map(({ type }) => type)

const webhook = "https://hooks.acme.dev/x"

const submitted = Effect.map(
  submit({ value: "carried along", webhook }, { "x-request-metadata": '{"order":"7"}' }),
  ({ json }): RequestId => Object(json).request_id
)

/** Fails twice, is delivered, is replayed, and fails permanently. */
const deliverAtLast = Effect.fnUntraced(function* (requestId: RequestId) {
  const at = Deliveries.start + 10_000_000_000
  const id = yield* Deliveries.pending({ requestId, at })
  const unavailable = { _tag: "Failed", responseStatus: 503, error: "http_503" } as const
  yield* Deliveries.begin(id, at)
  yield* Deliveries.end(id, unavailable, { at, attempt: 1 })
  yield* Deliveries.begin(id, at + 10_000)
  const silent = { _tag: "Failed", responseStatus: null, error: "timeout" } as const
  yield* Deliveries.end(id, silent, { at: at + 10_000, attempt: 2 })
  yield* Deliveries.begin(id, at + 60_000)
  yield* Deliveries.end(id, { _tag: "Succeeded", responseStatus: 204 }, { at: at + 60_000, attempt: 3 })
  assert.strictEqual((yield* Deliveries.replay(id)).status, 202)
  return { id, at }
})

layer(TestServer.layer(), { excludeTestServices: true })("the timeline of a request", (it) => {
  it.effect("has every event, with every attempt of its webhook, in the log's order", () =>
    Effect.gen(function* () {
      const id = yield* submitted
      yield* Lifecycle.start(id)
      yield* Lifecycle.log(id, "half way")
      yield* Lifecycle.deliver(id, { value: "an output" })
      const delivery = yield* deliverAtLast(id)

      const found = yield* timeline(id)
      assert.deepStrictEqual(typesOf(found), [
        "RequestSubmitted",
        "DispatchStarted",
        "RequestStarted",
        "ProgressReported",
        "OutputReceived",
        "RequestCompleted",
        "DeliveryScheduled",
        "AttemptStarted",
        "AttemptFailed",
        "AttemptStarted",
        "AttemptFailed",
        "AttemptStarted",
        "AttemptSucceeded",
        "ReplayRequested"
      ])
      const { data, ...envelope } = found
      assert.deepStrictEqual(envelope, { page: 1, limit: 100, total: 14, totalPages: 1, next: null })
      const positions = data.map(({ position }) => GlobalPosition.GlobalPosition.make(position))
      assert.deepStrictEqual(positions, positions.toSorted(GlobalPosition.order))

      const of = (type: string) => data.filter((event) => event.type === type).map(({ data }) => data)
      assert.deepStrictEqual(of("RequestSubmitted"), [
        {
          modelEndpoint: "sandbox/echo",
          metadata: { order: "7" },
          hold: "0.001",
          webhook: { url: webhook, events: ["completed"] },
          startBy: null,
          endBy: null
        }
      ])
      assert.deepStrictEqual(of("DispatchStarted"), [{ attempt: 1 }])
      assert.deepStrictEqual(of("ProgressReported"), [{ attempt: 1, fraction: null, logs: ["half way"] }])
      assert.deepStrictEqual(of("RequestCompleted"), [
        { attempt: 1, billingStatus: "charged", cost: "0.001", units: "1", error: null }
      ])
      assert.deepStrictEqual(of("DeliveryScheduled"), [
        { deliveryId: delivery.id, event: "completed", url: webhook }
      ])
      const [first, second] = of("AttemptFailed")
      assert.deepStrictEqual(first, {
        deliveryId: delivery.id,
        attempt: 1,
        responseStatus: 503,
        durationMs: 20,
        error: "http_503",
        nextAttemptAt: new Date(delivery.at + 20 + 5_000).toISOString()
      })
      assert.deepInclude(second, { attempt: 2, responseStatus: null, error: "timeout" })
      assert.deepInclude(of("AttemptSucceeded")[0], { attempt: 3, responseStatus: 204 })
      assert.deepStrictEqual(of("ReplayRequested"), [{ deliveryId: delivery.id, trigger: "replay" }])
    })
  )

  it.effect("has no internal data: no payload or its hash, no node, no salt", () =>
    Effect.gen(function* () {
      const id = yield* submitted
      yield* Lifecycle.start(id)
      yield* Lifecycle.deliver(id, { value: "an output" })
      yield* deliverAtLast(id)
      const { text } = yield* ask(id, "?limit=100")
      const reader = yield* EventReader
      const streams = yield* Effect.map(reader.read(StreamName.make("InferenceRequest", id)), (events) =>
        events.map(({ text }) => text).join()
      )
      const hashes = streams.match(/"hash":"[^"]+"/g) ?? []
      assert.isAtLeast(hashes.length, 2)
      for (const hash of hashes) assert.notInclude(text, hash.slice(8, -1))
      for (const word of ["carried along", "an output", '"node"', "hash", "salt", "payloads", "jobId"]) {
        assert.notInclude(text, word)
      }
    })
  )

  it.effect("ends like the request: cancelled, expired, erased", () =>
    Effect.gen(function* () {
      const cancelled = yield* accepted()
      yield* call({ method: "PUT", path: `/sandbox/echo/requests/${cancelled}/cancel` })
      const last = (yield* timeline(cancelled)).data.at(-1)
      assert.deepInclude(last, { type: "RequestCancelled", data: { reason: "requested" } })

      const reply = yield* submit({ value: 1 }, { "cancel-after": "1" })
      const expired: RequestId = Object(reply.json).request_id
      yield* (yield* RequestActors).execute(expired, { _tag: "Expire", at: Date.now() + 2_000 })
      const [first, end] = (yield* timeline(expired)).data
      assert.strictEqual(Date.parse(String(first?.data["endBy"])) - Date.parse(String(first?.at)), 1_000)
      assert.deepInclude(end, { type: "RequestCancelled", data: { reason: "expired" } })

      const erased = yield* accepted()
      yield* Lifecycle.start(erased)
      yield* Lifecycle.deliver(erased, { value: 1 })
      yield* call({ method: "DELETE", path: `/requests/${erased}/payloads` })
      const { data } = yield* timeline(erased)
      assert.deepInclude(
        data.find(({ type }) => type === "PayloadsErased"),
        { data: { reason: "requested" } }
      )
      assert.include(typesOf(yield* timeline(erased)), "RequestCompleted")
    })
  )

  it.effect("is paginated by number and by cursor, while events are appended", () =>
    Effect.gen(function* () {
      const id = yield* submitted
      yield* Lifecycle.start(id)
      const first = yield* timeline(id, "?limit=2")
      assert.deepInclude(first, { page: 1, total: 3, totalPages: 2 })
      yield* Lifecycle.deliver(id, { value: 1 })
      yield* deliverAtLast(id)

      const walked: Array<Event> = [...first.data]
      for (let next: string | null = first.next; next !== null;) {
        const page: Timeline = yield* timeline(id, `?limit=2&cursor=${next}`)
        walked.push(...page.data)
        next = page.next
      }
      const whole = yield* timeline(id)
      assert.deepStrictEqual(walked, whole.data)
      assert.isAbove(whole.total, 10)
      const third = yield* timeline(id, "?page=3&limit=2")
      assert.deepStrictEqual(third.data, whole.data.slice(4, 6))
      assert.deepStrictEqual((yield* timeline(id, "?page=99")).data, [])
      assert.deepStrictEqual(first.data, (yield* timeline(id, "?page=1&limit=2")).data)
    })
  )

  it.effect("shows events of one type", () =>
    Effect.gen(function* () {
      const id = yield* submitted
      yield* deliverAtLast(id)
      const found = yield* timeline(id, "?type=AttemptFailed")
      assert.deepStrictEqual(typesOf(found), ["AttemptFailed", "AttemptFailed"])
      assert.strictEqual(found.total, 2)
      const { next } = yield* timeline(id, "?type=AttemptStarted&limit=2")
      assert.lengthOf((yield* timeline(id, `?type=AttemptStarted&limit=2&cursor=${next}`)).data, 1)
    })
  )

  it.effect("requires an existing request of the same account", () =>
    Effect.gen(function* () {
      const { otherKey } = yield* TestServer.TestServer
      const id = yield* accepted()
      assertEnvelope(yield* ask(id, "", { authorization: otherKey }), 403)
      assertEnvelope(yield* ask(id, "", { authorization: "Key no:one" }), 401)
      assertEnvelope(yield* ask("rq-------------------"), 404)
      assertEnvelope(yield* ask("short"), 400)
      const wrong = yield* ask(id, "?type=Everything&limit=101&cursor=x&page=2")
      assertEnvelope(wrong, 400)
      assert.sameDeepMembers(
        issuesOf(wrong).map(([path]) => path),
        ["type", "limit", "page"]
      )
    })
  )
})

/** A server whose routes read streams through the test. */
const served = (
  read: (
    reader: EventReader["Service"],
    ...args: Parameters<EventReader["Service"]["read"]>
  ) => ReturnType<EventReader["Service"]["read"]>
) => {
  const reader = Layer.effect(
    EventReader,
    Effect.map(EventReader, (reader) => ({ ...reader, read: (...args) => read(reader, ...args) }))
  )
  return TestServer.layer({ serving: Http.layerNoServer.pipe(Layer.provide(reader)) })
}

describe("the timeline of a request", () => {
  it.live("has no gap before events that arrive between the reads of two streams", () => {
    const appended = Deferred.makeUnsafe<void>()
    let append: Effect.Effect<unknown> = Effect.void
    const server = served((reader, ...args) =>
      args[0].startsWith("InferenceRequest-")
        ? Effect.tap(reader.read(...args), () =>
            Effect.andThen(append, Deferred.succeed(appended, undefined))
          )
        : Effect.andThen(Deferred.await(appended), reader.read(...args))
    )
    return Effect.gen(function* () {
      const id = yield* accepted()
      const services = yield* Effect.context<RequestActors | DeliveryActors | Payloads>()
      append = Effect.andThen(Lifecycle.start(id), Deliveries.pending({ requestId: id })).pipe(
        Effect.orDie,
        Effect.provide(services)
      )
      assert.deepStrictEqual(typesOf(yield* timeline(id)), ["RequestSubmitted"])
      append = Effect.void
      const whole = ["RequestSubmitted", "DispatchStarted", "RequestStarted", "DeliveryScheduled"]
      assert.deepStrictEqual(typesOf(yield* timeline(id)), whole)
    }).pipe(Effect.provide(server))
  })

  it.live("parses only the events on the requested page", () => {
    let parsed = 0
    class Watched extends RecordedEvent {
      override get data() {
        parsed++
        return super.data
      }
    }
    const server = served((reader, ...args) =>
      Effect.map(reader.read(...args), (events) => events.map((event) => new Watched(event)))
    )
    return Effect.gen(function* () {
      const id = yield* submitted
      yield* Lifecycle.start(id)
      yield* Lifecycle.deliver(id, { value: 1 })
      yield* deliverAtLast(id)
      parsed = 0
      const page = yield* timeline(id, "?limit=2&page=3")
      assert.lengthOf(page.data, 2)
      assert.isAbove(page.total, 10)
      assert.strictEqual(parsed, 2)
      assert.isAbove((yield* timeline(id, "?type=AttemptFailed&limit=1")).total, 1)
      assert.strictEqual(parsed, 3)
    }).pipe(Effect.provide(server))
  })

  it.live("is 503 while the log cannot be read, even for a request in memory", () => {
    let isAway = false
    const server = served((reader, ...args) =>
      Effect.suspend(() =>
        isAway ? Effect.fail(new EventStoreError({ reason: "no route to it" })) : reader.read(...args)
      )
    )
    return Effect.gen(function* () {
      const id = yield* accepted()
      assert.lengthOf((yield* timeline(id)).data, 1)
      isAway = true
      const reply = yield* ask(id)
      assertEnvelope(reply, 503)
      assert.property(reply.headers, "retry-after")
    }).pipe(Effect.provide(server))
  })
})
