/** Appends without an answer: their fate, and the result for their callers. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Fiber } from "effect"
import { EventStoreError } from "#streams/EventReader.ts"
import { type Append, EventStore } from "#streams/EventStore.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import type * as NatsOptions from "#streams/nats/NatsOptions.ts"
import * as StreamName from "#streams/StreamName.ts"
import { eventData, inlinePayload } from "#test/support/EventFixtures.ts"
import * as NatsBinary from "#test/support/servers/NatsBinary.ts"
import * as NatsServer from "#test/support/servers/NatsServer.ts"
import * as TcpProxy from "#test/support/servers/TcpProxy.ts"
import * as Until from "#test/support/Until.ts"
import * as NatsLog from "#test/support/streams/nats/NatsLog.ts"

const stream = (id: string) => StreamName.make("Thing", id)

const one = (id: string, event: string, options: Partial<Append> = {}): Append => ({
  stream: stream(id),
  expected: ExpectedVersion.NoStream,
  events: [eventData(event)],
  ...options
})

/** A server, a node that connects through a proxy, and a node that is always connected. */
const setUp = Effect.gen(function* () {
  const server = yield* NatsServer.make({ syncInterval: "2m" })
  const proxy = yield* TcpProxy.make(server.port)
  const near = NatsLog.options(server.url)
  const far: NatsOptions.NatsOptions = { ...near, servers: [`127.0.0.1:${proxy.port}`] }
  const cutOff = Context.get(yield* NatsLog.openNode(far), EventStore)
  const node = yield* NatsLog.openNode(near)
  return { server, proxy, cutOff, node, other: Context.get(node, EventStore) }
})

const idsOf = (store: EventStore["Service"], id: string) =>
  Effect.map(store.read(stream(id)), (events) => events.map((event) => event.id))

const isThere = (store: EventStore["Service"], id: string, event: string) =>
  Until.answers(async () => {
    if (!(await Effect.runPromise(idsOf(store, id))).includes(event)) throw new Error("not there yet")
  }, Until.processes)

const begin = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.forkChild(Effect.exit(effect), { startImmediately: true })

describe.skipIf(NatsBinary.isMissing).concurrent(NatsBinary.named("An append without an answer"), () => {
  it.live("takes effect once if it was stored, also without this node's knowledge", () =>
    Effect.gen(function* () {
      const { cutOff, node, other, proxy } = yield* setUp
      yield* proxy.cut("deaf")
      const appends = ["alone", "followed"].map((id) => begin(cutOff.append(one(id, "first"))))
      const fibers = yield* Effect.all(appends)
      yield* isThere(other, "alone", "first")
      yield* isThere(other, "followed", "first")
      const [first] = yield* other.read(stream("followed"))
      const expected = ExpectedVersion.exactly(first?.version ?? ExpectedVersion.trustedVersion("0"))
      yield* other.append(one("followed", "second", { expected }))
      yield* proxy.heal

      const [alone, followed] = yield* Effect.forEach(fibers, Fiber.join)
      assert.isTrue(alone !== undefined && Exit.isSuccess(alone))
      assert.strictEqual(followed && Exit.isSuccess(followed) ? followed.value.version : "", first?.version)
      assert.deepStrictEqual(yield* idsOf(cutOff, "alone"), ["first"])
      assert.deepStrictEqual(yield* idsOf(cutOff, "followed"), ["first", "second"])
      yield* NatsLog.verify(node)
    }).pipe(Effect.scoped)
  )

  it.live("conflicts if another writer was first before the retry", () =>
    Effect.gen(function* () {
      const { cutOff, other, proxy } = yield* setUp
      yield* proxy.cut("blackhole")
      const payloads = [inlinePayload("input", "lost")]
      const fiber = yield* begin(cutOff.append(one("raced", "mine")))
      yield* other.append(one("raced", "theirs"))
      yield* proxy.heal
      const exit = yield* Fiber.join(fiber)
      assert.deepStrictEqual(
        Exit.isFailure(exit) && exit.cause.reasons.map((reason) => "error" in reason && reason.error._tag),
        ["WrongExpectedVersion"]
      )
      assert.deepStrictEqual(yield* idsOf(cutOff, "raced"), ["theirs"])
      const late = yield* Effect.flip(cutOff.append(one("raced", "late", { payloads })))
      assert.strictEqual(late._tag, "WrongExpectedVersion")
      assert.isNull(yield* other.payload(stream("raced"), "input"))
    }).pipe(Effect.scoped)
  )

  it.live("fails in time if it never arrived, and is fenced off with everything stored for it", () =>
    Effect.gen(function* () {
      const { cutOff, node, other, proxy } = yield* setUp
      const { version } = yield* other.append(one("old", "o1"))
      yield* cutOff.append(one("old", "o2", { expected: ExpectedVersion.exactly(version) }))
      const old = (yield* other.read(stream("old"))).at(-1)?.version
      const exactly = ExpectedVersion.exactly(old ?? version)

      yield* proxy.cut("blackhole")
      const began = performance.now()
      const payloads = [inlinePayload("input", "never")]
      const lost = [
        one("new", "n1"),
        one("old", "o3", { expected: exactly }),
        one("any", "a1", { expected: ExpectedVersion.Any, payloads })
      ]
      const errors = yield* Effect.forEach(lost, (append) => Effect.flip(cutOff.append(append)), {
        concurrency: "unbounded"
      })
      // The append with a payload was not sent.
      assert.deepStrictEqual(
        errors.map((error) => error._tag === "EventStoreError" && error.isAbsent),
        [false, false, true]
      )
      assert.isBelow(performance.now() - began, 18_000)
      const again = performance.now()
      assert.instanceOf(yield* Effect.flip(cutOff.append(one("new", "n2"))), EventStoreError)
      assert.isBelow(performance.now() - again, 1_000)

      yield* proxy.heal
      for (const { stream } of lost) yield* cutOff.settled(stream)
      assert.deepStrictEqual(yield* idsOf(other, "new"), [])
      assert.deepStrictEqual(yield* idsOf(other, "old"), ["o1", "o2"])
      assert.isNull(yield* other.payload(stream("any"), "input"))

      // Streams with a fence continue where they were.
      yield* other.append(one("new", "n3"))
      yield* other.append(one("old", "o4", { expected: exactly }))
      yield* cutOff.append(one("any", "a2", { expected: ExpectedVersion.Any }))
      assert.deepStrictEqual(yield* idsOf(cutOff, "new"), ["n3"])
      assert.deepStrictEqual(yield* idsOf(cutOff, "old"), ["o1", "o2", "o4"])
      assert.deepStrictEqual(yield* idsOf(other, "any"), ["a2"])
      assert.strictEqual((yield* NatsLog.verify(node)).events, 5)
    }).pipe(Effect.scoped)
  )

  it.live("cannot take effect after its stream is settled, even if it arrives later", () =>
    Effect.gen(function* () {
      const { cutOff, other, proxy } = yield* setUp
      yield* proxy.cut("hold")
      assert.instanceOf(yield* Effect.flip(cutOff.append(one("late", "lost"))), EventStoreError)
      yield* proxy.heal
      yield* cutOff.settled(stream("late"))
      yield* proxy.release
      assert.deepStrictEqual(yield* idsOf(other, "late"), [])
      yield* other.append(one("late", "next"))
      assert.deepStrictEqual(yield* idsOf(cutOff, "late"), ["next"])
    }).pipe(Effect.scoped)
  )

  it.live("is decided when its stream is settled, after a server that hung", () =>
    Effect.gen(function* () {
      const { node, other, server } = yield* setUp
      yield* other.append(one("warm", "w1"))
      yield* server.pause
      const payloads = [inlinePayload("input", "held")]
      const held = ["one", "two"].map((id) => one(id, "held", id === "two" ? { payloads } : {}))
      const errors = yield* Effect.forEach(held, (append) => Effect.flip(other.append(append)), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(
        errors.map((error) => error._tag === "EventStoreError" && error.isAbsent),
        [false, true]
      )
      yield* server.resume

      for (const { stream } of held) yield* other.settled(stream)
      const settled = yield* idsOf(other, "one")
      yield* other.append(one("after", "a1"))
      assert.deepStrictEqual(yield* idsOf(other, "one"), settled)
      assert.deepStrictEqual(yield* idsOf(other, "two"), [])
      assert.isNull(yield* other.payload(stream("two"), "input"))
      yield* other.append(one("one", "next", { expected: ExpectedVersion.Any }))
      assert.deepStrictEqual(yield* idsOf(other, "one"), [...settled, "next"])
      yield* NatsLog.verify(node)
    }).pipe(Effect.scoped)
  )
})
