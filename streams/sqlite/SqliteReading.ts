/** `EventReader` over a connection to `log.sqlite`. */
import type { DatabaseSync } from "node:sqlite"
import { Array, Effect, Stream } from "effect"
import type { SegmentBytes } from "../archive/SegmentSource.ts"
import { EventStoreError, type Reading } from "../EventReader.ts"
import * as Following from "../Following.ts"
import * as GlobalPosition from "../GlobalPosition.ts"
import type { HeadSignal } from "../HeadSignal.ts"
import type { RecordedEvent } from "../RecordedEvent.ts"
import * as StreamName from "../StreamName.ts"
import * as ArchivedReads from "./archive/ArchivedReads.ts"
import * as Frames from "./archive/Frames.ts"
import * as Tables from "./archive/Tables.ts"
import { pageSize, type Reads } from "./Reads.ts"

const attempt = <A>(read: () => A): Effect.Effect<A, EventStoreError> =>
  Effect.try({
    try: read,
    catch: (cause) => new EventStoreError({ reason: "The log cannot be read", cause })
  })

export const position = (sequence: number): GlobalPosition.GlobalPosition =>
  GlobalPosition.trusted(String(sequence))

export interface Options {
  readonly db: DatabaseSync
  readonly reads: Reads
  readonly signal: HeadSignal
  /** Reads archived segments. */
  readonly segments: SegmentBytes
  /** Whether reads wait for a segment that cannot be read. By default they fail. */
  readonly isPatient?: boolean
  /** Reads pages. By default from the database. */
  readonly page?: (after: number, types?: ReadonlyArray<string>) => ReadonlyArray<RecordedEvent>
  /** By default the head of the database. */
  readonly head?: Effect.Effect<GlobalPosition.GlobalPosition>
}

export const archivedReads = ({ db, isPatient, page, reads, segments }: Omit<Options, "signal" | "head">) =>
  ArchivedReads.make({
    reads,
    tables: Tables.make(db),
    frames: Frames.make(segments, isPatient),
    page: page ?? ((after) => reads.page(after))
  })

export const make = (options: Options): Reading => {
  const { reads, signal } = options
  const head = options.head ?? attempt(() => position(reads.head()))
  const archived = archivedReads(options)
  const following = Following.make({
    page: (after, types) => archived.page(Number(after), types),
    head,
    signal
  })

  const rowsOfCategories = (categories: ReadonlyArray<string>, end: GlobalPosition.GlobalPosition) =>
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
    )

  return {
    head,
    read: (stream, after) => archived.stream(stream, after === undefined ? -1 : Number(after)),
    many: {
      read: archived.streams,
      payloads: (streams, name) => attempt(() => reads.payloadsOf(streams, name))
    },
    readCategories: (categories, end) =>
      Stream.unwrap(
        Effect.map(Effect.forEach(categories, archived.hasCategory), (found) => {
          if (!found.includes(true)) return rowsOfCategories(categories, end)
          const wanted = new Set(categories)
          return following.readAll(GlobalPosition.beginning).pipe(
            Stream.takeWhile((event) => GlobalPosition.isReached(event.position, end)),
            Stream.filter(({ stream }) => wanted.has(StreamName.categoryOf(stream)))
          )
        })
      ),
    stepBack: (from, count) => position(Math.max(0, Number(from) - count)),
    payload: (stream, name) => attempt(() => reads.payload(stream, name)),
    ...following
  }
}
