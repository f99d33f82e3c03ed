/** The log as one node sees it. Appends take a moment; appends and reads fail when the test says so. */
import { Context, Deferred, Effect, Layer } from "effect"
import { EventReader, EventStoreError } from "#streams/EventReader.ts"
import { type Append, EventStore, withAppend } from "#streams/EventStore.ts"

/**
 * The fate of an append: stored and acknowledged, refused before it is stored, stored but reported as failed, or
 * never answered.
 */
export type Fate = "stored" | "refused" | "stored unheard" | "unanswered"

export class AppendFaults extends Context.Service<
  AppendFaults,
  {
    /** Applies from now on. */
    readonly decide: (fate: (append: Append) => Fate) => void
    /** The next `count` appends with an event of the type. */
    readonly fail: (type: string, count: number, fate?: Exclude<Fate, "stored">) => void
    /** The next `count` reads of payload records fail. */
    readonly failPayloads: (count: number) => void
    /** The next `count` reads of streams find no events. */
    readonly hideStreams: (count: number) => void
    /** Followers of the log hear of no event until the effect has run. Read models see all of them. */
    readonly holdFollowers: () => Effect.Effect<void>
  }
>()("inferlog/test/AppendFaults") {}

const failure = new EventStoreError({ reason: "The disk of the test is full" })

export const layer = Layer.effectContext(
  Effect.gen(function* () {
    const store = yield* EventStore
    const reader = yield* EventReader
    let fateOf: (append: Append) => Fate = () => "stored"

    const append: EventStore["Service"]["append"] = (append) =>
      Effect.flatMap(Effect.yieldNow, () => {
        switch (fateOf(append)) {
          case "stored":
            return store.append(append)
          case "refused":
            return Effect.fail(failure)
          case "stored unheard":
            return Effect.andThen(store.append(append), Effect.fail(failure))
          case "unanswered":
            return Effect.uninterruptible(Effect.never)
        }
      })

    let failingPayloads = 0
    const payload: EventReader["Service"]["payload"] = (stream, name, hash) =>
      Effect.suspend(() =>
        failingPayloads-- > 0 ? Effect.fail(failure) : reader.payload(stream, name, hash)
      )

    let hidden = 0
    const read: EventReader["Service"]["read"] = (stream, after) =>
      Effect.suspend(() => (hidden-- > 0 ? Effect.succeed([]) : reader.read(stream, after)))

    let held: Deferred.Deferred<void> | null = null
    const follow: EventReader["Service"]["follow"] = (after, onEvents) =>
      reader.follow(after, (events) =>
        held === null
          ? onEvents(events)
          : Effect.andThen(
              Deferred.await(held),
              Effect.suspend(() => onEvents(events) ?? Effect.void)
            )
      )

    const faults = AppendFaults.of({
      holdFollowers: () => {
        const holding = (held = Deferred.makeUnsafe<void>())
        return Effect.suspend(() => {
          held = null
          return Deferred.succeed(holding, undefined)
        })
      },
      failPayloads: (count) => (failingPayloads = count),
      hideStreams: (count) => (hidden = count),
      decide: (next) => (fateOf = next),
      fail: (type, count, fate = "refused") => {
        let left = count
        fateOf = ({ events }) => {
          if (left === 0 || !events.some((event) => event.type === type)) return "stored"
          left--
          return fate
        }
      }
    })
    return Context.make(AppendFaults, faults).pipe(
      Context.add(EventStore, EventStore.of({ ...withAppend(store, append), read, payload })),
      Context.add(EventReader, EventReader.of({ ...reader, read, payload, follow }))
    )
  })
)
