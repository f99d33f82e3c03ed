/**
 * Verifies that the log is what was written: rehashes and chains every event, hashes every payload, requires a tombstone for
 * every missing one, and compares the running digest with anchors such as `log.head`. Without an anchor stored elsewhere, a
 * log is tamper-evident to outsiders but not tamper-proof.
 */
import { Effect, Schema, Stream } from "effect"
import type { BlobStoreError } from "./BlobStore.ts"
import * as EventChain from "./EventChain.ts"
import { EventReader, type EventStoreError } from "./EventReader.ts"
import * as GlobalPosition from "./GlobalPosition.ts"
import type { Payloads } from "./Payload.ts"
import type { RecordedEvent } from "./RecordedEvent.ts"
import * as StreamHashes from "./StreamHashes.ts"
import * as TailRead from "./TailRead.ts"
import * as VerifyPayloads from "./VerifyPayloads.ts"

/** The first position where the log is not what was written. */
export class LogBroken extends Schema.TaggedError<LogBroken>()("LogBroken", {
  position: Schema.String,
  reason: Schema.String
}) {
  override get message(): string {
    return `The log is broken at position ${this.position}: ${this.reason}`
  }
}

/** A position and the digest recorded for it. */
export interface Anchor {
  /** The name of the source in reports. */
  readonly source: string
  readonly position: GlobalPosition.GlobalPosition
  readonly digest: string
}

/** An event of the log that an earlier verification reached, and what it found there. */
export interface Mark extends Anchor {
  /** The hash of the event. */
  readonly hash: string
}

export interface Verified {
  /** Events of this verification. */
  readonly events: number
  readonly payloads: number
  readonly erasedPayloads: number
  readonly position: GlobalPosition.GlobalPosition
  readonly digest: string
  /** The hash of the last event; empty for an empty log. */
  readonly hash: string
}

export interface VerifyOptions<E = never> {
  readonly anchors?: ReadonlyArray<Anchor>
  /**
   * Begins after this event, whose digest the caller trusts. The event must be on the log, and the beginning of each stream that
   * goes on after it is hashed again. Anchors before it are not compared.
   */
  readonly from?: Mark
  /** Other events that must be on the log. */
  readonly marks?: ReadonlyArray<Mark>
  /** Whether `next` may directly follow `previous` in an intact log, if the backend can tell. */
  readonly adjoins?: (previous: GlobalPosition.GlobalPosition, next: GlobalPosition.GlobalPosition) => boolean
  /** Reads payload records in the order of the log. Throws when they cannot be read. */
  readonly readAhead?: VerifyPayloads.ReadAhead
  /** Called at intervals with the number of verified events and the position of the last one. */
  readonly onProgress?: (events: number, position: GlobalPosition.GlobalPosition) => Effect.Effect<void>
  /**
   * Called with verified events in order, several at a time. When the verification fails, all events before the failure have
   * been visited, so the first failure is the one reported.
   */
  readonly visit?: (events: ReadonlyArray<RecordedEvent>) => Effect.Effect<void, E>
}

export const verify = Effect.fn("Verify.verify")(function* <E = never>(
  options: VerifyOptions<E> = {}
): Effect.fn.Return<Verified, LogBroken | EventStoreError | BlobStoreError | E, EventReader | Payloads> {
  const reader = yield* EventReader
  const start = options.from?.position ?? GlobalPosition.beginning
  const hashes = yield* StreamHashes.make(start)
  const payloads = yield* VerifyPayloads.make(options.readAhead)
  const anchors = Map.groupBy(
    (options.anchors ?? []).filter(({ position }) => GlobalPosition.isReached(start, position)),
    ({ position }) => position
  )
  let position = start
  let digest = options.from?.digest ?? EventChain.origin
  let hash = options.from?.hash ?? EventChain.origin
  let events = 0

  const checkAnchors = Effect.fnUntraced(function* () {
    const wrong = anchors.get(position)?.find((anchor) => anchor.digest !== digest)
    if (wrong !== undefined) return yield* brokenAt(position, `the digest does not match ${wrong.source}`)
    anchors.delete(position)
  })

  const visit = options.visit ?? (() => Effect.void)

  const checkPayloads = Effect.fnUntraced(function* (events: ReadonlyArray<RecordedEvent>) {
    if (events.length === 0) return
    const problem = yield* payloads.check(events)
    if (problem === null) return yield* visit(events)
    yield* visit(
      events.slice(
        0,
        events.findIndex(({ position }) => position === problem.position)
      )
    )
    return yield* brokenAt(problem.position, problem.reason)
  })

  const isNext = (event: RecordedEvent) =>
    options.adjoins === undefined || options.adjoins(position, event.position)

  const pass = (event: RecordedEvent) => {
    hashes.record(event)
    position = event.position
    hash = event.hash
    digest = EventChain.digest(digest, hash)
    events++
  }

  /** Verifies events from `start` on as far as memory suffices, and returns where it stopped. */
  const passFrom = (page: ReadonlyArray<RecordedEvent>, start: number): number => {
    for (let index = start; index < page.length; index++) {
      const event = page[index]
      if (event === undefined || anchors.has(event.position) || !isNext(event)) return index
      const previous = hashes.cached(event)
      if (previous === undefined || EventChain.hash(previous, event) !== event.hash) return index
      pass(event)
    }
    return page.length
  }

  const checkHash = Effect.fnUntraced(function* (event: RecordedEvent) {
    const previous = yield* hashes.before(event)
    if (previous === undefined) {
      return yield* brokenAt(event.position, `an event before it in its stream ${event.stream} is missing`)
    }
    if (typeof previous !== "string") return yield* changedAt(previous.position)
    if (EventChain.hash(previous, event) !== event.hash) return yield* changedAt(event.position)
  })

  const checkMark = Effect.fnUntraced(function* (mark: Mark) {
    const head = yield* reader.head
    if (!GlobalPosition.isReached(mark.position, head)) return yield* unmetAt(head, mark)
    const found = yield* TailRead.at(mark.position)
    if (found._tag === "None" || found.value.hash !== mark.hash) {
      return yield* brokenAt(mark.position, `the event is not the one that ${mark.source} names`)
    }
    yield* checkHash(found.value)
  })

  const checkEvent = Effect.fnUntraced(function* (event: RecordedEvent) {
    if (!isNext(event)) return yield* brokenAt(event.position, "events before it are missing")
    yield* checkHash(event)
    yield* checkPayloads([event])
    pass(event)
    yield* checkAnchors()
  })

  const checkPage = Effect.fnUntraced(function* (page: ReadonlyArray<RecordedEvent>) {
    let start = 0
    while (start < page.length) {
      const stop = passFrom(page, start)
      yield* checkPayloads(page.slice(start, stop))
      const event = page[stop]
      if (event !== undefined) yield* checkEvent(event)
      start = stop + 1
    }
  })

  for (const mark of [...(options.marks ?? []), ...(options.from ? [options.from] : [])])
    yield* checkMark(mark)
  yield* checkAnchors()
  yield* reader.readAll(start).pipe(
    Stream.runForEachArray((page) =>
      Effect.andThen(
        checkPage(page),
        Effect.suspend(() => options.onProgress?.(events, position) ?? Effect.void)
      )
    )
  )
  const [unmet] = [...anchors.values()].flat()
  if (unmet !== undefined) return yield* unmetAt(position, unmet)
  return { events, ...payloads.counts(), position, digest, hash }
})

const brokenAt = (position: GlobalPosition.GlobalPosition, reason: string) =>
  new LogBroken({ position, reason })

const changedAt = (position: GlobalPosition.GlobalPosition) =>
  brokenAt(position, "the event does not match its hash")

const unmetAt = (end: GlobalPosition.GlobalPosition, { position, source }: Anchor) =>
  brokenAt(end, `the log ends here, but ${source} names an event at position ${position}`)
