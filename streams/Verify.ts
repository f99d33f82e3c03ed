/**
 * Proof that the log is what was written: every event is hashed again and chained, every payload present is hashed and
 * every absent one needs a tombstone, and the running digest must agree with the anchors, `log.head` among them. Without
 * an anchor kept elsewhere a log is tamper-evident to outsiders, not tamper-proof.
 */
import { Effect, Schema, Stream } from "effect"
import type { BlobStoreError } from "./BlobStore.ts"
import * as EventChain from "./EventChain.ts"
import { EventReader, type EventStoreError } from "./EventReader.ts"
import * as GlobalPosition from "./GlobalPosition.ts"
import type { Payloads } from "./Payload.ts"
import type { RecordedEvent } from "./RecordedEvent.ts"
import * as StreamHashes from "./StreamHashes.ts"
import * as VerifyPayloads from "./VerifyPayloads.ts"

/** The first place where the log is not what was written. */
export class LogBroken extends Schema.TaggedError<LogBroken>()("LogBroken", {
  position: Schema.String,
  reason: Schema.String
}) {
  override get message(): string {
    return `The log is broken at position ${this.position}: ${this.reason}`
  }
}

/** A position and the digest that somebody noted for it. */
export interface Anchor {
  /** Who says so, for the report. */
  readonly source: string
  readonly position: GlobalPosition.GlobalPosition
  readonly digest: string
}

export interface Verified {
  readonly events: number
  readonly payloads: number
  readonly erasedPayloads: number
  readonly position: GlobalPosition.GlobalPosition
  readonly digest: string
}

export interface VerifyOptions<E = never> {
  readonly anchors?: ReadonlyArray<Anchor>
  /** Whether `next` may come right after `previous` in an untouched log, where the backend can tell. */
  readonly adjoins?: (previous: GlobalPosition.GlobalPosition, next: GlobalPosition.GlobalPosition) => boolean
  /** Payload records that the backend can give in the order of the log. Throws when they cannot be read. */
  readonly readAhead?: VerifyPayloads.ReadAhead
  /** Called now and then with the number of events verified so far, and the position of the last. */
  readonly onProgress?: (events: number, position: GlobalPosition.GlobalPosition) => Effect.Effect<void>
  /**
   * Called with every event, in order and some at a time, after it is verified. Where verifying fails, the events before
   * have been visited: whichever finds fault first is the first fault.
   */
  readonly visit?: (events: ReadonlyArray<RecordedEvent>) => Effect.Effect<void, E>
}

export const verify = Effect.fn("Verify.verify")(function* <E = never>(
  options: VerifyOptions<E> = {}
): Effect.fn.Return<Verified, LogBroken | EventStoreError | BlobStoreError | E, EventReader | Payloads> {
  const reader = yield* EventReader
  const hashes = yield* StreamHashes.make
  const payloads = yield* VerifyPayloads.make(options.readAhead)
  const anchors = Map.groupBy(options.anchors ?? [], ({ position }) => position)
  let position = GlobalPosition.beginning
  let digest = EventChain.origin
  let events = 0

  const checkAnchors = Effect.fnUntraced(function* () {
    const wrong = anchors.get(position)?.find((anchor) => anchor.digest !== digest)
    if (wrong !== undefined)
      return yield* brokenAt(position, `the digest so far is not the one in ${wrong.source}`)
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
    digest = EventChain.digest(digest, event.hash)
    events++
  }

  /** Passes the events from `start` on that memory is enough for, and tells where it has to stop. */
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

  const checkEvent = Effect.fnUntraced(function* (event: RecordedEvent) {
    if (!isNext(event)) return yield* brokenAt(event.position, "events before it are missing")
    const previous = yield* hashes.before(event)
    if (previous === undefined) {
      return yield* brokenAt(event.position, `an event before it in its stream ${event.stream} is missing`)
    }
    if (EventChain.hash(previous, event) !== event.hash) {
      return yield* brokenAt(event.position, "the event does not match its hash")
    }
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

  yield* checkAnchors()
  yield* reader.readAll(GlobalPosition.beginning).pipe(
    Stream.runForEachArray((page) =>
      Effect.andThen(
        checkPage(page),
        Effect.suspend(() => options.onProgress?.(events, position) ?? Effect.void)
      )
    )
  )
  const [unmet] = [...anchors.values()].flat()
  if (unmet !== undefined) {
    return yield* brokenAt(
      position,
      `the log ends here without an event at position ${unmet.position}, which ${unmet.source} knows`
    )
  }
  return { events, ...payloads.counts(), position, digest }
})

const brokenAt = (position: GlobalPosition.GlobalPosition, reason: string) =>
  new LogBroken({ position, reason })
