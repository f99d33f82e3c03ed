/** The content of `log.head` as an anchor for verification. */
import { Effect } from "effect"
import type { EventReader, EventStoreError } from "./EventReader.ts"
import * as GlobalPosition from "./GlobalPosition.ts"
import * as LogHead from "./LogHead.ts"
import * as TailRead from "./TailRead.ts"
import { type Anchor, LogBroken } from "./Verify.ts"

/** The name of the source in reports. */
const source = "log.head"

/** The newest head in the file. `undefined` when the file does not exist. */
const readHead = (filename: string): Effect.Effect<LogHead.Head | undefined, LogBroken> =>
  Effect.try({
    try: () => LogHead.read(filename),
    catch: () => new LogBroken({ position: "0", reason: "log.head cannot be read" })
  })

const positionOf = (sequence: number) => GlobalPosition.trusted(String(sequence))

/** For a log whose positions are sequence numbers. Reads only the file. */
export const read = (filename: string): Effect.Effect<ReadonlyArray<Anchor>, LogBroken> =>
  Effect.map(readHead(filename), (head) =>
    head === undefined ? [] : [{ source, position: positionOf(head.sequence), digest: head.digest }]
  )

/**
 * For a log whose sequence numbers count commits: the head stands for the last event of its commit. If the log has no such
 * commit, the anchor has a position that verification will not find.
 */
export const find = Effect.fn("HeadAnchor.find")(function* (
  filename: string
): Effect.fn.Return<ReadonlyArray<Anchor>, LogBroken | EventStoreError, EventReader> {
  const head = yield* readHead(filename)
  if (head === undefined) return []
  const first = positionOf(head.sequence)
  const next = positionOf(head.sequence + 1)
  const [last] = yield* TailRead.last({ end: next, limit: 1, matches: ({ position }) => position !== next })
  const isThere = last !== undefined && GlobalPosition.isReached(first, last.position)
  return [{ source, position: isThere ? last.position : first, digest: head.digest }]
})
