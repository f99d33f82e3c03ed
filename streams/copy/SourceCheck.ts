/** Verifies the source while it is copied: the chain of each stream, and the digest against anchors. */
import { Effect } from "effect"
import * as EventChain from "../EventChain.ts"
import type { EventReader, EventStoreError } from "../EventReader.ts"
import * as GlobalPosition from "../GlobalPosition.ts"
import type { RecordedEvent } from "../RecordedEvent.ts"
import * as StreamHashes from "../StreamHashes.ts"
import { type Anchor, LogBroken } from "../Verify.ts"

/** The progress of reading the source. */
export interface Reached {
  readonly events: number
  readonly position: GlobalPosition.GlobalPosition
  readonly digest: string
}

export interface SourceCheck {
  /** Must be called with every event, in order. */
  readonly pass: (events: ReadonlyArray<RecordedEvent>) => Effect.Effect<void, LogBroken | EventStoreError>
  readonly reached: () => Reached
  /** Must be called at the end. Fails if an anchor is beyond it. */
  readonly atEnd: Effect.Effect<void, LogBroken>
}

const broken = (position: GlobalPosition.GlobalPosition, reason: string) =>
  new LogBroken({ position, reason })

const beginning: Reached = { events: 0, position: GlobalPosition.beginning, digest: EventChain.origin }

/** @param start what was checked before. */
export const make = Effect.fnUntraced(function* (
  anchors: ReadonlyArray<Anchor>,
  start: Reached = beginning
): Effect.fn.Return<SourceCheck, never, EventReader> {
  const hashes = yield* StreamHashes.make(GlobalPosition.beginning)
  let reached: Reached = start

  const pass = Effect.fnUntraced(function* (event: RecordedEvent) {
    const { hash, position } = event
    const previous = hashes.cached(event) ?? (yield* hashes.before(event))
    if (typeof previous !== "string")
      return yield* broken(position, "an event before it in its stream is missing")
    if (EventChain.hash(previous, event) !== hash) {
      return yield* broken(position, "the event does not match its hash")
    }
    hashes.record(event)
    const digest = EventChain.digest(reached.digest, hash)
    const wrong = anchors.find((anchor) => anchor.position === position && anchor.digest !== digest)
    if (wrong !== undefined) {
      return yield* broken(position, `the digest does not match ${wrong.source}`)
    }
    reached = { events: reached.events + 1, position, digest }
  })

  return {
    pass: Effect.forEach(pass, { discard: true }),
    reached: () => reached,
    atEnd: Effect.gen(function* () {
      const unmet = anchors.find(({ position }) => !GlobalPosition.isReached(position, reached.position))
      if (unmet === undefined) return
      return yield* broken(reached.position, `the log ends here, but ${unmet.source} names a later event`)
    })
  }
})
