/** Nodes with actors of counters over one log in memory. */
import { Effect, Layer } from "effect"
import * as Actors from "#streams/Actors.ts"
import type * as LiveActors from "#streams/LiveActors.ts"
import { EventStore } from "#streams/EventStore.ts"
import { IdGenerator } from "#streams/IdGenerator.ts"
import * as MemoryEventStore from "#streams/MemoryEventStore.ts"
import * as StreamName from "#streams/StreamName.ts"
import * as Counter from "./Counter.ts"

export const layer = Layer.merge(MemoryEventStore.layer, IdGenerator.layer)

export const stream = (id: string) => StreamName.make("Counter", id)

/** The events of a counter. */
export const logOf = (id: string) => Effect.flatMap(EventStore, (store) => store.read(stream(id)))

export type Store = EventStore["Service"]

/** A node over the test's log, through `change`; `reads` are the ids whose stream was read. */
export const node = Effect.fnUntraced(function* (
  options: LiveActors.ActorsOptions = {},
  change: (store: Store) => Partial<Store> = () => ({})
) {
  const store = yield* EventStore
  const changed = { ...store, ...change(store) }
  const reads: Array<string> = []
  const watched = EventStore.of({
    ...changed,
    read: (stream, after) => {
      reads.push(StreamName.idOf(stream))
      return changed.read(stream, after)
    }
  })
  const actors = yield* Effect.provideService(Actors.make(Counter.aggregate, options), EventStore, watched)
  return { actors, reads }
})
