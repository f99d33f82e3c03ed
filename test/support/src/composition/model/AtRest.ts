/** Brings a world to rest: no more faults occur, and time passes until nothing is left to do. */
import { Effect, Stream } from "effect"
import { RequestId } from "#domain/Ids.ts"
import type { Event } from "#domain/inference-request/Event.ts"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import { Finalizer } from "#src/features/dispatch/finalize/Finalizer.ts"
import { Sweeper } from "#src/features/dispatch/sweep/Sweeper.ts"
import { EventStore } from "#streams/EventStore.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as StreamName from "#streams/StreamName.ts"
import type { World } from "./World.ts"

const { category, codec } = InferenceRequest.aggregate

export type Lives = ReadonlyMap<RequestId, ReadonlyArray<Event>>

/** The events of every request. */
export const lives: Effect.Effect<Lives, never, EventStore> = Effect.gen(function* () {
  const store = yield* EventStore
  const events = yield* Stream.runCollect(store.readAll(GlobalPosition.beginning))
  const found = new Map<RequestId, Array<Event>>()
  for (const event of events) {
    if (StreamName.categoryOf(event.stream) !== category) continue
    const id = RequestId.make(StreamName.idOf(event.stream))
    const known = found.get(id) ?? []
    if (known.length === 0) found.set(id, known)
    known.push(codec.decode(event))
  }
  return found
}).pipe(Effect.orDie)

const minute = 60_000

/** After this time every node has looked for work. */
export const heartbeatMs = 6_000

/** ms. Minutes of test time are cheap; during hours no node runs, so they cost nothing. */
const waits: ReadonlyArray<number> = [
  1_000,
  8_000,
  65_000,
  65_000,
  10 * minute,
  ...Array.from({ length: 12 }, () => 61 * minute)
]

/** Waits until the files of outputs are stored or postponed, which takes real time. */
const untilFiled = Effect.fnUntraced(function* (world: World) {
  const { has } = yield* world.node().on(Finalizer)
  const isFiling = Effect.map(world.books, (books) =>
    books.open().some((stream) => has(RequestId.make(stream.slice(category.length + 1))))
  )
  while (yield* isFiling) yield* world.settle
  yield* world.settle
})

/** Returns the streams of the requests that did not end. */
export const bring = Effect.fnUntraced(function* (world: World, areTheDeadHeard: boolean) {
  const sweep = Effect.suspend(() => world.node().on(Effect.flatMap(Sweeper, ({ sweep }) => sweep)))
  const open = Effect.map(world.books, (books) => books.open())
  world.faults.clear()
  yield* world.runs.calm
  yield* world.bury(areTheDeadHeard)
  for (const ms of waits) {
    if ((yield* open).length === 0) break
    yield* world.take({ _tag: ms < 60 * minute ? "Clock" : "Outage", ms })
    yield* world.fork(sweep)
    yield* world.settle
    yield* untilFiled(world)
  }
  // Includes what is due within a heartbeat, and what a cancel still waits for.
  yield* world.take({ _tag: "Clock", ms: heartbeatMs })
  return yield* open
})
