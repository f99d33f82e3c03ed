/** What `expand` adds to a timeline: the hash chain, and the state after each event. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { RequestId } from "#domain/Ids.ts"
import * as MomentView from "#src/features/requests/views/MomentView.ts"
import * as EventChain from "#streams/EventChain.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as StreamName from "#streams/StreamName.ts"
import * as Lifecycle from "#test/support/Lifecycle.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { accepted, assertEnvelope, call, issuesOf } from "#test/support/src/edges/http/Calls.ts"
import * as Deliveries from "#test/support/src/edges/http/Deliveries.ts"

interface Event {
  readonly position: string
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
  readonly chain?: { readonly ordinal: number; readonly previous: string | null; readonly hash: string }
  readonly state?: Readonly<Record<string, unknown>>
}

const ask = (id: string, query: string) => call({ path: `/requests/${id}/events?${query}` })

const eventsOf = (
  id: string,
  query: string
): Effect.Effect<ReadonlyArray<Event>, never, TestServer.TestServer> =>
  Effect.map(ask(id, query), ({ json, status, text }) => {
    assert.strictEqual(status, 200, text)
    return Object(json).data
  })

/** The named fields of the state after each event. */
const after = (events: ReadonlyArray<Event>, ...names: ReadonlyArray<string>) =>
  events.map(({ state, type }) => [type, ...names.map((name) => state?.[name])])

/** A request that was run, delivered and erased. */
const lived = Effect.gen(function* () {
  const id: RequestId = yield* accepted()
  yield* Lifecycle.start(id)
  yield* Lifecycle.log(id, "a line", "another")
  yield* Lifecycle.deliver(id, { value: "an output" })
  const at = Deliveries.start + 10_000_000_000
  const delivery = yield* Deliveries.pending({ requestId: id, at })
  yield* Deliveries.begin(delivery, at)
  yield* Deliveries.end(delivery, { _tag: "Failed", responseStatus: 503, error: "http_503" }, { at })
  yield* call({ method: "DELETE", path: `/requests/${id}/payloads` })
  return { id, delivery, nextAttemptAt: new Date(at + 20 + 5_000).toISOString() }
})

layer(TestServer.layer(), { excludeTestServices: true })("expand, of a timeline,", (it) => {
  it.effect("adds nothing unless it is asked for", () =>
    Effect.gen(function* () {
      const { id } = yield* lived
      for (const event of yield* eventsOf(id, "limit=100")) {
        assert.hasAllKeys(event, ["position", "type", "at", "data"])
      }
      const wrong = yield* ask(id, "expand=states,payloads")
      assertEnvelope(wrong, 400)
      assert.deepStrictEqual(
        issuesOf(wrong).map(([path]) => path),
        ["expand"]
      )
    })
  )

  it.effect("shows the chain of each stream, whatever part of it is asked for", () =>
    Effect.gen(function* () {
      const { delivery, id } = yield* lived
      const reader = yield* EventReader
      const events = yield* eventsOf(id, "limit=100&expand=hashes")
      for (const stream of [
        StreamName.make("InferenceRequest", id),
        StreamName.make("WebhookDelivery", delivery)
      ]) {
        const recorded = yield* reader.read(stream)
        const shown = events.filter(({ position }) => recorded.some((event) => event.position === position))
        assert.isAtLeast(shown.length, 3)
        let previous = EventChain.origin
        for (const [ordinal, event] of recorded.entries()) {
          const hash = EventChain.hash(previous, event)
          const link = { ordinal, previous: ordinal === 0 ? null : previous, hash }
          assert.deepStrictEqual(shown[ordinal]?.chain, link)
          previous = hash
        }
      }
      const [only] = yield* eventsOf(id, "type=RequestCompleted&expand=hashes")
      assert.deepStrictEqual(
        only,
        events.find(({ type }) => type === "RequestCompleted")
      )
    })
  )

  it.effect("shows the request after each event: status, phase, hold, cost and payloads", () =>
    Effect.gen(function* () {
      const { id } = yield* lived
      const events = yield* eventsOf(id, "limit=100&expand=states")
      const ofRequest = events.filter(({ data }) => data["deliveryId"] === undefined)
      assert.deepStrictEqual(
        after(ofRequest, "status", "phase", "attempt", "hold", "cost", "input", "output").slice(0, 7),
        [
          ["RequestSubmitted", "IN_QUEUE", "queued", 0, "0.001", "0", "stored", "none"],
          ["DispatchStarted", "IN_QUEUE", "claimed", 1, "0.001", "0", "stored", "none"],
          ["RequestStarted", "IN_PROGRESS", "running", 1, "0.001", "0", "stored", "none"],
          ["ProgressReported", "IN_PROGRESS", "running", 1, "0.001", "0", "stored", "none"],
          ["OutputReceived", "IN_PROGRESS", "storing", 1, "0.001", "0", "stored", "stored"],
          ["RequestCompleted", "COMPLETED", "ended", 1, "0", "0.001", "stored", "stored"],
          ["PayloadsErased", "COMPLETED", "ended", 1, "0", "0.001", "erased", "erased"]
        ]
      )
      assert.deepStrictEqual(after(ofRequest, "logLines").slice(2, 4), [
        ["RequestStarted", 0],
        ["ProgressReported", 2]
      ])
      assert.strictEqual(events[5]?.state?.["outcome"], "succeeded")
      // Nothing of the aggregate's own state that is not declared.
      for (const { state } of events) assert.hasAllKeys(state, Object.keys(MomentView.MomentBody.fields))
    })
  )

  it.effect("shows the deliveries as of each event", () =>
    Effect.gen(function* () {
      const { delivery, id, nextAttemptAt } = yield* lived
      const events = yield* eventsOf(id, "limit=100&expand=states")
      const completed = events.find(({ type }) => type === "RequestCompleted")
      assert.deepStrictEqual(completed?.state?.["deliveries"], [])
      const failed = events.find(({ type }) => type === "AttemptFailed")
      assert.deepStrictEqual(failed?.state?.["deliveries"], [
        {
          deliveryId: delivery,
          event: "completed",
          status: "pending",
          attempts: 1,
          nextAttemptAt,
          lastResponseStatus: 503,
          lastError: "http_503"
        }
      ])
      // Another stream's event leaves the request as it was.
      assert.deepStrictEqual({ ...failed?.state, deliveries: [] }, completed?.state)
    })
  )

  it.effect("shows equal states on every page and for one type, though neither has the events before", () =>
    Effect.gen(function* () {
      const { id } = yield* lived
      const whole = yield* eventsOf(id, "limit=100&expand=states,hashes")
      assert.deepStrictEqual(
        yield* eventsOf(id, "page=3&limit=2&expand=states&expand=hashes"),
        whole.slice(4, 6)
      )
      const cursor = Object((yield* ask(id, "limit=5")).json).next
      const next = yield* eventsOf(id, `limit=3&cursor=${cursor}&expand=states,hashes`)
      assert.deepStrictEqual(next, whole.slice(5, 8))
      const failures = yield* eventsOf(id, "type=AttemptFailed&expand=states,hashes")
      assert.deepStrictEqual(
        failures,
        whole.filter(({ type }) => type === "AttemptFailed")
      )
    })
  )

  it.effect("reveals no payload, no hash of one, no node and no provider", () =>
    Effect.gen(function* () {
      const { id } = yield* lived
      const { text } = yield* ask(id, "limit=100&expand=states,hashes")
      const reader = yield* EventReader
      const recorded = yield* reader.read(StreamName.make("InferenceRequest", id))
      const hashes = recorded.flatMap(({ text }) => text.match(/(?<="hash":")[^"]+/g) ?? [])
      assert.isAtLeast(hashes.length, 2)
      for (const hash of hashes) assert.notInclude(text, hash)
      for (const word of ["an output", '"node"', '"provider"', '"test"', "salt", "jobId", "payloads"]) {
        assert.notInclude(text, word)
      }
    })
  )
})
