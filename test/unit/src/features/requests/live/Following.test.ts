import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import type { AccountId } from "#domain/Ids.ts"
import type { StatusChange } from "#projections/live-status/LiveStatus.ts"
import { LiveStatus } from "#projections/live-status/LiveStatus.ts"
import * as Following from "#src/features/requests/live/Following.ts"
import { LiveHub, type Taking } from "#src/features/requests/live/LiveHub.ts"
import * as ReadSide from "#test/support/projections/ReadSide.ts"
import * as Log from "#test/support/projections/RequestLog.ts"
import * as Until from "#test/support/Until.ts"

const services = LiveHub.layer.pipe(Layer.provideMerge(LiveStatus.layer), Layer.provideMerge(ReadSide.layer))

const seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000)

const randomOf = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

interface Reader {
  readonly accountId: AccountId
  readonly from: number
  readonly told: Array<StatusChange>
  readonly ways: Set<Taking>
}

const accounts = [Log.alice, Log.bob, Log.carol]

/** Takes changes in one of the ways of a connection. */
const follower = (reader: Reader, random: (below: number) => number): Following.Follower<never> => ({
  wanted: { accountId: reader.accountId, requestIds: null, models: null },
  isDone: () => false,
  ready: Effect.repeat(Effect.yieldNow, { times: random(5) }),
  give: (changes) =>
    Effect.andThen(
      Effect.sync(() => void reader.told.push(...changes)),
      Effect.repeat(Effect.yieldNow, { times: random(5) })
    ),
  take: (changes): Taking => {
    const way = (["taken", "taken", "full", "declined"] as const)[random(4)] ?? "taken"
    reader.ways.add(way)
    if (way !== "declined") reader.told.push(...changes)
    return way
  }
})

describe("Following", () => {
  it.live(`sends each of many readers each change of its account, once and in order (SEED=${seed})`, () =>
    Effect.gen(function* () {
      const random = randomOf(seed)
      const { follow } = yield* Following.make
      const liveStatus = yield* LiveStatus
      const everybody: Array<Reader> = []
      const readers: Array<Reader> = []
      const fibers: Array<Fiber.Fiber<unknown, unknown>> = []
      for (let number = 1; number <= 150; number++) {
        const account = accounts[random(3)] ?? Log.alice
        yield* Log.append(number, Log.submitted(account, Log.echo))
        if (random(2) === 0) yield* Log.append(number, Log.dispatched(1), Log.started(1))
        // Lets some changes be read one by one and others many at a time.
        if (random(3) === 0) yield* ReadSide.settle("history")
        yield* Effect.repeat(Effect.yieldNow, { times: random(8) })
        if (random(3) === 0) {
          const reader: Reader = {
            accountId: accounts[random(3)] ?? Log.bob,
            from: yield* liveStatus.newest,
            told: [],
            ways: new Set()
          }
          readers.push(reader)
          everybody.push(reader)
          const fiber = yield* Effect.forkChild(
            follow(follower(reader, randomOf(seed + number)), reader.from)
          )
          fibers.push(fiber)
        }
        // The last listener leaves, and a new one joins an empty hub.
        if (random(12) === 0) yield* Fiber.interruptAll(fibers.splice(0).concat())
        if (fibers.length === 0) readers.length = 0
      }
      yield* ReadSide.settle("history")
      const all = yield* liveStatus.after({ change: 0, limit: 1_000 })
      const expected = ({ accountId, from }: Reader) =>
        all.filter((change) => change.accountId === accountId && change.change > from)
      yield* Until.holds(
        "every change at every reader",
        () => readers.every((reader) => reader.told.length >= expected(reader).length),
        () => readers.map((reader) => [reader.told.length, expected(reader).length])
      )
      assert.isAbove(all.length, 150)
      const ways = new Set(everybody.flatMap(({ ways }) => [...ways]))
      assert.sameMembers([...ways], ["taken", "full", "declined"])
      for (const reader of readers) {
        assert.deepStrictEqual(
          reader.told.map(({ change }) => change),
          expected(reader).map(({ change }) => change),
          `SEED=${seed}`
        )
      }
      yield* Fiber.interruptAll(fibers)
    }).pipe(Effect.provide(services), Effect.scoped)
  )

  it.live("passes the same array to equal followers, and reads nothing without followers", () =>
    Effect.gen(function* () {
      let reads = 0
      const counted = Layer.effect(
        LiveStatus,
        Effect.map(LiveStatus, (liveStatus) =>
          LiveStatus.of({
            ...liveStatus,
            after: (options) =>
              Effect.suspend(() => {
                reads++
                return liveStatus.after(options)
              })
          })
        )
      )
      yield* Effect.gen(function* () {
        const hub = yield* LiveHub
        yield* Log.append(1, Log.submitted(Log.alice, Log.echo))
        yield* ReadSide.settle("history")
        assert.strictEqual(reads, 0)
        const handed: Array<ReadonlyArray<StatusChange>> = []
        const listen = hub.listen({
          wanted: { accountId: Log.alice, requestIds: null, models: null },
          place: 1,
          take: (changes) => {
            handed.push(changes)
            return "full"
          }
        })
        const both = yield* Effect.forkChild(Effect.all([listen, listen], { concurrency: 2 }), {
          startImmediately: true
        })
        yield* Log.append(2, Log.submitted(Log.alice, Log.echo))
        assert.deepStrictEqual(yield* Fiber.join(both), [2, 2])
        assert.strictEqual(handed.length, 2)
        assert.strictEqual(handed[0], handed[1])
        assert.strictEqual(hub.place(), 0)
      }).pipe(Effect.provide(LiveHub.layer.pipe(Layer.provide(counted))))
    }).pipe(Effect.provide(LiveStatus.layer.pipe(Layer.provideMerge(ReadSide.layer))), Effect.scoped)
  )

  it.live("sends a new follower the changes it has missed, and only those after its position", () =>
    Effect.gen(function* () {
      const hub = yield* LiveHub
      for (const number of [1, 2, 3]) yield* Log.append(number, Log.submitted(Log.alice, Log.echo))
      yield* ReadSide.settle("history")
      // The hub has seen them without any listener.
      yield* Effect.repeat(Effect.yieldNow, { times: 100 })
      const told = new Map<number, ReadonlyArray<number>>()
      const listen = (place: number) =>
        hub.listen({
          wanted: { accountId: Log.alice, requestIds: null, models: null },
          place,
          take: (changes) => {
            told.set(
              place,
              changes.map(({ change }) => change)
            )
            return "full"
          }
        })
      // The first listener sets the hub back to its position; the second is ahead of it.
      assert.deepStrictEqual(yield* Effect.all([listen(0), listen(2)], { concurrency: 2 }), [3, 3])
      assert.deepStrictEqual(
        [...told],
        [
          [0, [1, 2, 3]],
          [2, [3]]
        ]
      )
    }).pipe(Effect.provide(services), Effect.scoped)
  )
})
