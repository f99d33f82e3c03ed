/** What `log.head` says of the log's end, as an anchor to verify against. */
import { Effect } from "effect"
import type { EventReader, EventStoreError } from "./EventReader.ts"
import * as GlobalPosition from "./GlobalPosition.ts"
import * as LogHead from "./LogHead.ts"
import * as TailRead from "./TailRead.ts"
import { type Anchor, LogBroken } from "./Verify.ts"

/** Who says so, for the report. */
const source = "log.head"

/** The newest head in the file; none when the file is not there. */
const noted = (filename: string): Effect.Effect<LogHead.Head | undefined, LogBroken> =>
  Effect.try({
    try: () => LogHead.read(filename),
    catch: () => new LogBroken({ position: "0", reason: "log.head cannot be read" })
  })

const positionOf = (sequence: number) => GlobalPosition.trusted(String(sequence))

/** Of a log whose positions are its sequence numbers: nothing is read but the file. */
export const read = (filename: string): Effect.Effect<ReadonlyArray<Anchor>, LogBroken> =>
  Effect.map(noted(filename), (head) =>
    head === undefined ? [] : [{ source, position: positionOf(head.sequence), digest: head.digest }]
  )

/**
 * Of a log whose sequence numbers count commits: the head stands for the last event of the commit. Where the log has no
 * such commit, the anchor is at a position that verifying will not find.
 */
export const find = Effect.fn("HeadAnchor.find")(function* (
  filename: string
): Effect.fn.Return<ReadonlyArray<Anchor>, LogBroken | EventStoreError, EventReader> {
  const head = yield* noted(filename)
  if (head === undefined) return []
  const first = positionOf(head.sequence)
  const next = positionOf(head.sequence + 1)
  const [last] = yield* TailRead.last({ end: next, limit: 1, matches: ({ position }) => position !== next })
  const isThere = last !== undefined && GlobalPosition.isReached(first, last.position)
  return [{ source, position: isThere ? last.position : first, digest: head.digest }]
})
