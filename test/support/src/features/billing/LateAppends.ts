/** A log whose appends of requests can be delayed: reported as failed, and stored when the test says so. */
import { Effect, Latch } from "effect"
import { EventReader, EventStoreError } from "#streams/EventReader.ts"
import { type Append, EventStore, withAppend } from "#streams/EventStore.ts"

export interface LateAppends {
  /** The log as the node sees it. */
  readonly store: EventStore["Service"]
  readonly reader: EventReader["Service"]
  /** Delays the next append of a request. */
  readonly holdUp: Effect.Effect<void>
  /** Rejects the next append of a request permanently. */
  readonly refuse: Effect.Effect<void>
  /** Stores the delayed appends now, or never; only then is their fate settled. */
  readonly land: Effect.Effect<void>
  readonly lose: Effect.Effect<void>
  /** Makes all streams unreadable or readable from now on. */
  readonly setReadable: (isReadable: boolean) => Effect.Effect<void>
}

const failure = new EventStoreError({ reason: "The log of the test does not answer" })
const absent = new EventStoreError({ reason: "The log of the test is away", isAbsent: true })

export const make: Effect.Effect<LateAppends, never, EventStore | EventReader> = Effect.gen(function* () {
  const store = yield* EventStore
  const reader = yield* EventReader
  const settled = yield* Latch.make(true)
  const heldUp: Array<Append> = []
  let isHeldUp = false
  let isRefused = false
  let isReadable = true

  const read: EventReader["Service"]["read"] = (stream, after) =>
    Effect.suspend(() => (isReadable ? store.read(stream, after) : Effect.fail(failure)))

  return {
    store: EventStore.of({
      ...withAppend(store, (append) =>
        Effect.suspend(() => {
          const isRequest = append.events.some(({ type }) => type === "RequestSubmitted")
          if (isRefused && isRequest) {
            isRefused = false
            return Effect.fail(absent)
          }
          if (!isHeldUp || !isRequest) return store.append(append)
          isHeldUp = false
          heldUp.push(append)
          return Effect.andThen(settled.close, Effect.fail(failure))
        })
      ),
      read,
      settled: () => settled.await
    }),
    reader: EventReader.of({ ...reader, read }),
    holdUp: Effect.sync(() => {
      isHeldUp = true
    }),
    refuse: Effect.sync(() => {
      isRefused = true
    }),
    land: Effect.suspend(() =>
      Effect.forEach(heldUp.splice(0), (append) => Effect.ignore(store.append(append))).pipe(
        Effect.andThen(settled.open)
      )
    ),
    lose: Effect.suspend(() => {
      heldUp.splice(0)
      return settled.open
    }),
    setReadable: (now) =>
      Effect.sync(() => {
        isReadable = now
      })
  }
})
