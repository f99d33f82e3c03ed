/** The reads of followers: each page is a statement on the thread that everything else runs on. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { LiveStatus, type StatusChange } from "#projections/live-status/LiveStatus.ts"
import type * as Queries from "#projections/live-status/LiveStatusQueries.ts"
import * as Following from "#src/features/requests/live/Following.ts"
import { LiveHub } from "#src/features/requests/live/LiveHub.ts"
import type { StreamFilter } from "#src/features/requests/live/StreamFilter.ts"
import * as ReadSide from "#test/support/projections/ReadSide.ts"
import * as Log from "#test/support/projections/RequestLog.ts"
import * as Until from "#test/support/Until.ts"

type Read = (options: Queries.After) => Effect.Effect<void>

/** `before` runs before each page is read. */
const observed = (before: Read) =>
  LiveHub.layer.pipe(
    Layer.provideMerge(
      Layer.effect(
        LiveStatus,
        Effect.map(LiveStatus, (liveStatus) =>
          LiveStatus.of({
            ...liveStatus,
            after: (options) => Effect.andThen(before(options), liveStatus.after(options))
          })
        )
      )
    )
  )

const readSide = LiveStatus.layer.pipe(Layer.provideMerge(ReadSide.layer))

const all: StreamFilter = { accountId: Log.alice, requestIds: null, models: null }

const follower = (
  wanted: StreamFilter,
  told: Array<StatusChange>,
  enough: number
): Following.Follower<never> => ({
  wanted,
  isDone: () => told.length >= enough,
  ready: Effect.void,
  give: (changes) => Effect.sync(() => void told.push(...changes)),
  take: (changes) => {
    told.push(...changes)
    return "full"
  }
})

const submitted = (from: number, through: number, accountId = Log.alice) =>
  Effect.gen(function* () {
    for (let number = from; number <= through; number++) {
      yield* Log.append(number, Log.submitted(accountId, Log.echo))
    }
    yield* ReadSide.settle("history")
  })

const numbers = (changes: ReadonlyArray<StatusChange>) => changes.map(({ change }) => change)

describe("followers", () => {
  it.live("that are far behind take turns: a few of them read a page, then others run", () =>
    Effect.gen(function* () {
      yield* submitted(1, 450)
      let atOnce = 0
      let most = 0
      const layer = observed(() =>
        Effect.sync(() => void (most = Math.max(most, ++atOnce))).pipe(
          Effect.andThen(Effect.yieldNow),
          Effect.andThen(Effect.sync(() => void atOnce--))
        )
      )
      yield* Effect.gen(function* () {
        const { follow } = yield* Following.make
        const everybody = yield* Effect.forEach(
          Array.from({ length: 20 }, (): Array<StatusChange> => []),
          (told) => Effect.as(follow(follower(all, told, 450), 0), told),
          { concurrency: "unbounded" }
        )
        for (const told of everybody) assert.deepStrictEqual(numbers(told), numbers(everybody[0] ?? []))
        assert.strictEqual(everybody[0]?.length, 450)
      }).pipe(Effect.provide(layer))
      assert.strictEqual(most, 8)
    }).pipe(Effect.provide(readSide), Effect.scoped)
  )

  it.live("yield between two pages", () =>
    Effect.gen(function* () {
      yield* submitted(1, 450)
      const order: Array<string> = []
      const layer = observed(() => Effect.sync(() => void order.push("page")))
      yield* Effect.gen(function* () {
        const { follow } = yield* Following.make
        const other = Effect.forever(
          Effect.andThen(
            Effect.sync(() => void order.push("other")),
            Effect.yieldNow
          ),
          { disableYield: true }
        )
        yield* Effect.forkScoped(other)
        yield* follow(follower(all, [], 450), 0)
      }).pipe(Effect.provide(layer), Effect.scoped)
      assert.notInclude(order.join(" "), "page page")
      assert.strictEqual(order.filter((who) => who === "page").length, 3)
    }).pipe(Effect.provide(readSide), Effect.scoped)
  )

  it.live("of named requests do not read the changes of others", () =>
    Effect.gen(function* () {
      yield* submitted(1, 450)
      const pages: Array<number> = []
      const layer = observed(({ accountId, change }) =>
        Effect.sync(() => void (accountId !== undefined && pages.push(change)))
      )
      yield* Effect.gen(function* () {
        const { follow } = yield* Following.make
        const told: Array<StatusChange> = []
        const named = { ...all, requestIds: new Set([Log.requestId(1)]) }
        const fiber = yield* Effect.forkScoped(follow(follower(named, told, 2), 0), {
          startImmediately: true
        })
        // Its first change is on the first page; after that it has none.
        yield* Until.holds(
          "two pages",
          () => pages.length === 2,
          () => pages
        )
        yield* Log.append(1, Log.dispatched(1), Log.started(1))
        yield* Fiber.join(fiber)
        assert.deepStrictEqual(numbers(told), [1, 451])
        assert.deepStrictEqual(pages, [0, 450])
      }).pipe(Effect.provide(layer), Effect.scoped)
    }).pipe(Effect.provide(readSide), Effect.scoped)
  )

  it.live("of a quiet account read nothing because of others", () =>
    Effect.gen(function* () {
      const reads: Array<string> = []
      const layer = observed(({ accountId = "all" }) => Effect.sync(() => void reads.push(accountId)))
      yield* Effect.gen(function* () {
        const { follow } = yield* Following.make
        const busy: Array<StatusChange> = []
        const quiet: Array<StatusChange> = []
        yield* Effect.forkScoped(follow(follower(all, busy, 100), 0), { startImmediately: true })
        yield* submitted(1, 5)
        yield* Until.holds(
          "five changes",
          () => busy.length === 5,
          () => busy.length
        )
        const fiber = yield* Effect.forkScoped(
          follow(follower({ ...all, accountId: Log.bob }, quiet, 1), 0),
          { startImmediately: true }
        )
        yield* Effect.repeat(Effect.yieldNow, { times: 100 })
        assert.strictEqual(reads.filter((who) => who === Log.bob).length, 1)
        yield* submitted(6, 6, Log.bob)
        yield* Fiber.join(fiber)
        assert.deepStrictEqual(numbers(quiet), [6])
      }).pipe(Effect.provide(layer), Effect.scoped)
    }).pipe(Effect.provide(readSide), Effect.scoped)
  )
})

describe("LiveHub", () => {
  it.live("sends a follower nothing from a page that was read for followers who have left", () =>
    Effect.gen(function* () {
      yield* submitted(1, 5)
      const reading = yield* Deferred.make<void>()
      const go = yield* Deferred.make<void>()
      const layer = observed(({ change }) =>
        change === 3 ? Effect.andThen(Deferred.succeed(reading, undefined), Deferred.await(go)) : Effect.void
      )
      yield* Effect.gen(function* () {
        const hub = yield* LiveHub
        const listen = (place: number, told: Array<number>) =>
          hub.listen({
            wanted: all,
            place,
            take: (changes) => {
              told.push(...numbers(changes))
              return "full"
            }
          })
        const first = yield* Effect.forkScoped(listen(3, []), { startImmediately: true })
        yield* Deferred.await(reading)
        yield* Fiber.interrupt(first)
        const told: Array<number> = []
        const second = yield* Effect.forkScoped(listen(1, told), { startImmediately: true })
        yield* Deferred.succeed(go, undefined)
        yield* Fiber.join(second)
        assert.deepStrictEqual(told, [2, 3, 4, 5])
      }).pipe(Effect.provide(layer), Effect.scoped)
    }).pipe(Effect.provide(readSide), Effect.scoped)
  )
})
