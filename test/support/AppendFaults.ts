/** A node's view of the log, whose appends take a moment and fail when the test says so. Reading always works. */
import { Context, Effect, Layer } from "effect"
import { EventReader, EventStoreError } from "#streams/EventReader.ts"
import { type Append, EventStore } from "#streams/EventStore.ts"

/** What becomes of an append: as it should be; refused before it is stored; or stored, and yet told to have failed. */
export type Fate = "stored" | "refused" | "stored unheard"

export class AppendFaults extends Context.Service<
  AppendFaults,
  {
    /** Decides from now on. */
    readonly decide: (fate: (append: Append) => Fate) => void
    /** The next `count` appends with an event of the type. */
    readonly fail: (type: string, count: number, fate?: Exclude<Fate, "stored">) => void
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
        }
      })

    const faults = AppendFaults.of({
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
      Context.add(EventStore, EventStore.of({ ...store, append })),
      Context.add(EventReader, reader)
    )
  })
)
