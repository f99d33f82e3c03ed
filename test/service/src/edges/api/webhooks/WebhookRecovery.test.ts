import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Logger, Stream } from "effect"
import { Projections } from "#projections/Projections.ts"
import { EventReader } from "#streams/EventReader.ts"
import { EventStore } from "#streams/EventStore.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as StreamName from "#streams/StreamName.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { assertEnvelope, call, issuesOf, jsonHeaders } from "#test/support/src/edges/http/Calls.ts"
import * as Deliveries from "#test/support/src/edges/http/Deliveries.ts"
import * as NaughtyBodies from "#test/support/src/edges/http/NaughtyBodies.ts"

const path = "/webhooks/deliveries/recover"

const recover = (body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  call({ method: "POST", path, headers: { ...jsonHeaders, ...headers }, body: JSON.stringify(body) })

const iso = (millis: number) => new Date(millis).toISOString()

/** The recorded recoveries of the account, oldest first. */
const recorded = (account: string) =>
  Effect.flatMap(EventReader, (reader) =>
    reader.readAll(GlobalPosition.beginning).pipe(
      Stream.filter(({ type }) => type === "RecoveryRequested"),
      Stream.map(({ data }) => data),
      Stream.filter(({ accountId }) => accountId === Deliveries.accountOf(account)),
      Stream.map(({ since, until }) => ({ since, until })),
      Stream.runCollect
    )
  )

layer(TestServer.layer(), { excludeTestServices: true })("a recovery", (it) => {
  it.effect("counts the account's failed deliveries of that time, and is recorded", () =>
    Effect.gen(function* () {
      const headers = { authorization: yield* TestServer.openAccount("recovering") }
      const { start } = Deliveries
      const owed = (at: number) => ({ account: "recovering", at: start + at })
      for (const at of [0, 10, 20, 20, 30]) yield* Deliveries.failed(owed(at))
      for (const make of [Deliveries.pending, Deliveries.delivered, Deliveries.waiting]) yield* make(owed(20))
      yield* Deliveries.failed({ at: start + 20 })
      const reply = yield* recover({ since: iso(start + 10), until: iso(start + 30) }, headers)
      assert.deepStrictEqual([reply.status, reply.json], [202, { count: 3 }])
      assert.strictEqual(reply.headers["cache-control"], "no-store")
      assert.deepStrictEqual(yield* recorded("recovering"), [{ since: start + 10, until: start + 30 }])
    })
  )

  it.effect("is only counted for a preview", () =>
    Effect.gen(function* () {
      const headers = { authorization: yield* TestServer.openAccount("previewing") }
      const { start } = Deliveries
      for (const at of [0, 10]) yield* Deliveries.failed({ account: "previewing", at: start + at })
      const reply = yield* recover({ since: iso(start + 10), preview: true }, headers)
      assert.deepStrictEqual([reply.status, reply.json], [200, { count: 1 }])
      assert.deepStrictEqual(yield* recorded("previewing"), [])
    })
  )

  it.effect("ends now by default, and starts no delivery yet", () =>
    Effect.gen(function* () {
      const headers = { authorization: yield* TestServer.openAccount("until-now") }
      const before = Date.now()
      const id = yield* Deliveries.failed({ account: "until-now" })
      const reply = yield* recover({ since: "2026-01-05T12:00:00+00:00" }, headers)
      assert.deepStrictEqual(reply.json, { count: 1 })
      const [recovery] = yield* recorded("until-now")
      assert.isAtLeast(Number(recovery?.until), before - 1)
      assert.isAtMost(Number(recovery?.until), Date.now() + 1)
      const delivery = yield* call({ path: `/webhooks/deliveries/${id}`, headers })
      assert.deepInclude(delivery.json, { status: "failed" })
    })
  )

  it.effect("without matches records nothing", () =>
    Effect.gen(function* () {
      const headers = { authorization: yield* TestServer.openAccount("nothing") }
      yield* Deliveries.delivered({ account: "nothing" })
      const reply = yield* recover({ since: iso(Deliveries.start) }, headers)
      assert.deepStrictEqual([reply.status, reply.json], [202, { count: 0 }])
      assert.deepStrictEqual(yield* recorded("nothing"), [])
    })
  )

  it.effect.each([
    ["since", "required", {}],
    ["since", "type", { since: 1 }],
    ["since", "format", { since: "yesterday" }],
    ["since", "range", { since: "2999-01-01T00:00:00Z" }],
    ["until", "format", { since: iso(0), until: "2026-01-05T12:00:00" }],
    ["upto", "additionalProperties", { since: iso(0), upto: iso(1) }],
    ["", "type", []]
  ] as const)("is rejected at %s: %s", ([at, code, body]) =>
    Effect.gen(function* () {
      const reply = yield* recover(body)
      assertEnvelope(reply, 400)
      assert.deepStrictEqual(issuesOf(reply), [[at, code]])
    })
  )

  it.effect.each(NaughtyBodies.refused)("is rejected when its body is %s", ([, body]) =>
    Effect.map(call({ method: "POST", path, headers: jsonHeaders, body }), (reply) =>
      assertEnvelope(reply, 400)
    )
  )

  it.effect("requires JSON", () =>
    Effect.gen(function* () {
      assertEnvelope(yield* recover({ since: iso(0) }, { "content-type": "text/plain" }), 415)
      assertEnvelope(yield* recover({ since: iso(0) }, { "content-encoding": "gzip" }), 415)
      assertEnvelope(yield* call({ method: "POST", path, headers: jsonHeaders }), 400)
    })
  )
})

/** The projection of deliveries stops at an unreadable event, so its rows stay unchanged. */
const stopLists = Effect.gen(function* () {
  const reader = yield* EventReader
  const projections = yield* Projections
  yield* (yield* EventStore).append({
    stream: StreamName.make("WebhookDelivery", "damaged"),
    expected: ExpectedVersion.Any,
    events: [{ id: "damaged", type: "DeliveryScheduled", time: Deliveries.start, data: {} }]
  })
  const options = { projection: "deliveries", timeout: "30 seconds" } as const
  assert.isFalse(yield* projections.waitFor(yield* reader.head, options))
})

const quiet = Layer.provideMerge(TestServer.layer(), Logger.layer([]))

layer(quiet, { excludeTestServices: true })("while the lists are behind", (it) => {
  it.effect("they are 503, single deliveries are returned, and a recovery is recorded", () =>
    Effect.gen(function* () {
      yield* Deliveries.failed()
      assert.strictEqual(Object((yield* Deliveries.list()).json).total, 1)
      yield* stopLists
      const unknown = yield* Deliveries.failed({ at: Deliveries.start + 1 })
      const { json, status } = yield* Deliveries.list()
      assert.deepStrictEqual([status, Object(json).details], [503, { code: "READ_MODEL_BEHIND" }])
      assert.strictEqual((yield* Deliveries.get(unknown)).status, 200)
      const since = Deliveries.start + 1
      const reply = yield* recover({ since: iso(since) })
      assert.deepStrictEqual([reply.status, reply.json], [202, { count: 0 }])
      assert.strictEqual((yield* recorded("alpha"))[0]?.since, since)
    })
  )
})
