/** `EventReader` over a connection to `log.sqlite`. */
import { Array, Effect, Stream } from "effect"
import { EventStoreError, type Reading } from "../EventReader.ts"
import * as Following from "../Following.ts"
import * as GlobalPosition from "../GlobalPosition.ts"
import type { HeadSignal } from "../HeadSignal.ts"
import type { RecordedEvent } from "../RecordedEvent.ts"
import { pageSize, type Reads } from "./Reads.ts"

const attempt = <A>(read: () => A): Effect.Effect<A, EventStoreError> =>
  Effect.try({
    try: read,
    catch: (cause) => new EventStoreError({ reason: "The log cannot be read", cause })
  })

export const position = (sequence: number): GlobalPosition.GlobalPosition =>
  GlobalPosition.trusted(String(sequence))

export const make = (options: {
  readonly reads: Reads
  readonly signal: HeadSignal
  /** Reads pages. By default from the database. */
  readonly page?: (after: number, types?: ReadonlyArray<string>) => ReadonlyArray<RecordedEvent>
  /** By default the head of the database. */
  readonly head?: Effect.Effect<GlobalPosition.GlobalPosition>
}): Reading => {
  const { reads, signal, page = (after) => reads.page(after) } = options
  const head = options.head ?? attempt(() => position(reads.head()))
  return {
    head,
    read: (stream, after) => attempt(() => reads.stream(stream, after === undefined ? -1 : Number(after))),
    many: {
      read: (streams) => attempt(() => reads.streams(streams)),
      payloads: (streams, name) => attempt(() => reads.payloadsOf(streams, name))
    },
    readCategories: (categories, end) =>
      Stream.unwrap(
        Effect.map(
          attempt(() => categories.flatMap(reads.ofCategory)),
          (sequences) => {
            const matching = sequences.filter((one) => one <= Number(end)).sort((a, b) => a - b)
            return Stream.fromIterable(Array.chunksOf(matching, pageSize)).pipe(
              Stream.mapEffect((some) => attempt(() => reads.numbered(some))),
              Stream.flattenIterable
            )
          }
        )
      ),
    stepBack: (from, count) => position(Math.max(0, Number(from) - count)),
    payload: (stream, name) => attempt(() => reads.payload(stream, name)),
    ...Following.make({ page: (after, types) => attempt(() => page(Number(after), types)), head, signal })
  }
}
