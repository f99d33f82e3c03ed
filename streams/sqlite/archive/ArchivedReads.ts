/**
 * Reads of a log whose older events are partly archived. A stream is its archived beginning, then its rows; a range of positions
 * is the rows and the events of the frames that overlap it. Rows are read first: they leave the table in the commit that adds
 * their frame.
 */
import { Effect } from "effect"
import { EventStoreError } from "../../EventReader.ts"
import type { RecordedEvent } from "../../RecordedEvent.ts"
import type { StreamName } from "../../StreamName.ts"
import type { Reads } from "../Reads.ts"
import type { Frames } from "./Frames.ts"
import type { ArchivedStream, Tables } from "./Tables.ts"

type Events = ReadonlyArray<RecordedEvent>

export interface ArchivedReads {
  /** Some events after `after`, in order; empty at the head. */
  readonly page: (
    after: number,
    types: ReadonlyArray<string> | undefined
  ) => Effect.Effect<Events, EventStoreError>
  readonly stream: (stream: StreamName, afterOrdinal: number) => Effect.Effect<Events, EventStoreError>
  readonly streams: (streams: ReadonlyArray<StreamName>) => Effect.Effect<Events, EventStoreError>
  readonly hasCategory: (category: string) => Effect.Effect<boolean, EventStoreError>
}

export interface Options {
  readonly reads: Reads
  readonly tables: () => Tables
  readonly frames: Frames
  /** Reads pages of rows. */
  readonly page: (after: number, types?: ReadonlyArray<string>) => Events
}

/** Positions per page where events are archived. */
const window = 2_048

const attempt = <A>(read: () => A): Effect.Effect<A, EventStoreError> =>
  Effect.try({
    try: read,
    catch: (cause) => new EventStoreError({ reason: "The log cannot be read", cause })
  })

export const make = ({ frames, page, reads, tables }: Options): ArchivedReads => {
  /** Reads rows and frames of one state of the log. */
  const consistently = <A>(read: (tables: Tables) => A): A => {
    for (;;) {
      const before = tables()
      const version = before.version()
      const found = read(before)
      const after = tables()
      if (after.version() === version) return found
    }
  }

  const eventsOf = (wanted: Parameters<Frames["read"]>[0], isWanted: (event: RecordedEvent) => boolean) =>
    Effect.map(frames.read(wanted), (events) => events.filter(isWanted))

  /** Rows up to the first frame ahead; or a stretch of positions with rows and frames. */
  const rowsAt = (after: number, types: ReadonlyArray<string> | undefined) =>
    consistently((found) => {
      const next = found.next(after)
      if (next === undefined) return { rows: page(after, types), frames: [] }
      if (next > after + 1) {
        const rows = reads.page(after, Math.min(window, next - 1 - after))
        // A gap that no frame fills is for verification to find.
        const before = rows.filter(({ position }) => Number(position) < next)
        if (before.length > 0) return { rows: before, frames: [] }
      }
      const end = Math.min(Math.max(after, next - 1) + window, reads.head())
      const rows = reads.page(after, end - after).filter(({ position }) => Number(position) <= end)
      const overlapping = found.between(after, end).map((frame) => ({ frame, after, end }))
      return { rows, frames: overlapping }
    })

  const fill = ({ frames, rows }: ReturnType<typeof rowsAt>): Effect.Effect<Events, EventStoreError> => {
    if (frames.length === 0) return Effect.succeed(rows)
    const archived = Effect.forEach(frames, ({ after, end, frame }) =>
      eventsOf(frame, ({ position }) => Number(position) > after && Number(position) <= end)
    )
    return Effect.map(archived, (found) =>
      [...rows, ...found.flat()].sort((a, b) => Number(a.position) - Number(b.position))
    )
  }

  const beginningOf = (
    archived: ArchivedStream,
    { after, before }: { readonly after: number; readonly before: number }
  ) =>
    Effect.flatMap(
      attempt(() => tables().frames(archived.frames)),
      (stored) =>
        Effect.map(
          Effect.forEach(stored, (frame) =>
            eventsOf(
              frame,
              ({ ordinal, stream }) => stream === archived.stream && ordinal > after && ordinal < before
            )
          ),
          (found) => found.flat().sort((a, b) => a.ordinal - b.ordinal)
        )
    )

  const stream: ArchivedReads["stream"] = (name, afterOrdinal) =>
    Effect.flatMap(
      attempt(() => reads.stream(name, afterOrdinal)),
      (rows) => {
        const before = rows[0]?.ordinal ?? Number.POSITIVE_INFINITY
        if (before === afterOrdinal + 1) return Effect.succeed(rows)
        return Effect.flatMap(
          attempt(() => tables().streams([name])),
          ([archived]): Effect.Effect<Events, EventStoreError> =>
            archived === undefined || archived.ordinal <= afterOrdinal
              ? Effect.succeed(rows)
              : Effect.map(beginningOf(archived, { after: afterOrdinal, before }), (found) => [
                  ...found,
                  ...rows
                ])
        )
      }
    )

  const streams: ArchivedReads["streams"] = Effect.fnUntraced(function* (names) {
    const rows = yield* attempt(() => reads.streams(names))
    const begun = new Set<string>()
    for (const { ordinal, stream } of rows) if (ordinal === 0) begun.add(stream)
    const missing = names.filter((name) => !begun.has(name))
    if (missing.length === 0) return rows
    const archived = yield* attempt(() => tables().streams(missing))
    if (archived.length === 0) return rows
    const byStream = Map.groupBy(rows, ({ stream }) => stream as string)
    for (const one of archived) {
      const rest = byStream.get(one.stream) ?? []
      const before = rest[0]?.ordinal ?? Number.POSITIVE_INFINITY
      byStream.set(one.stream, [...(yield* beginningOf(one, { after: -1, before })), ...rest])
    }
    return [...byStream.values()].flat()
  })

  return {
    page: (after, types) =>
      Effect.flatMap(
        attempt(() => rowsAt(after, types)),
        fill
      ),
    stream,
    streams,
    hasCategory: (category) => attempt(() => tables().hasCategory(category))
  }
}
