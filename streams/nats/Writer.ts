/**
 * Appends events: first the payload records, then one message with all events, chained to the last event of its stream. The
 * server accepts it only if that is still the last one.
 */
import { Clock, Effect } from "effect"
import * as CanonicalJson from "#domain/CanonicalJson.ts"
import { AppendObserver } from "../AppendObserver.ts"
import { EventStoreError } from "../EventReader.ts"
import { type Append, type Appended, type EventStore, WrongExpectedVersion } from "../EventStore.ts"
import { type ExpectedVersion, trustedVersion } from "../ExpectedVersion.ts"
import * as RandomPool from "../RandomPool.ts"
import * as RecentlyUsed from "../RecentlyUsed.ts"
import type { HeadSignal } from "../HeadSignal.ts"
import type { StreamName } from "../StreamName.ts"
import * as AppendMessage from "./AppendMessage.ts"
import type { PayloadWork } from "./PayloadWork.ts"
import type { Fences, Outcome } from "./Fences.ts"
import type { MessageReads } from "./MessageReads.ts"
import type { Publish } from "./Publish.ts"
import * as Subjects from "./Subjects.ts"

/** Streams whose last hash is in memory. */
const capacity = 20_000

const idBytes = 12

/** How long an undecided append may block another one, ms: about an election. */
const undecidedMs = 10_000

export interface WriterParts {
  readonly reads: MessageReads
  readonly payloadWork: PayloadWork
  readonly publishing: Publish
  readonly fences: Fences
  /** Receives the position of each append. */
  readonly known: HeadSignal
}

/** A message that the servers have acknowledged. */
export interface Written {
  readonly sequence: number
  /** Hash of its last event. */
  readonly hash: string
}

/** An append with what was prepared for it. */
interface Prepared {
  readonly append: Append
  /** Canonical JSON of each event's data. */
  readonly texts: ReadonlyArray<string>
  readonly id: string
  readonly outcome: Outcome
  /** Unix time in ms. */
  readonly began: number
}

export const make = Effect.fnUntraced(function* ({
  payloadWork,
  fences,
  known,
  publishing,
  reads
}: WriterParts) {
  const observe = yield* AppendObserver
  const random = RandomPool.make(idBytes)
  const tails = RecentlyUsed.make<AppendMessage.Tail>({ capacity })
  let newest: Written = { sequence: 0, hash: "" }

  /** Reads the tail from the leader. */
  const readTail = (stream: StreamName) =>
    Effect.map(publishing.whenUp(reads.lastOf(stream)), (last) => {
      const tail = last?.tail ?? AppendMessage.noTail
      tails.set(stream, tail)
      return tail
    })

  /** A tail in memory may be outdated; the server detects that. */
  const tailFor = (stream: StreamName, expected: ExpectedVersion) => {
    const known = tails.get(stream)
    if (known !== undefined && matches(expected, known)) return Effect.succeed(known)
    return expected._tag === "NoStream" && known === undefined
      ? Effect.succeed(AppendMessage.noTail)
      : readTail(stream)
  }

  const appended = (
    { events, stream }: Append,
    sequence: number,
    { hash, ordinal }: AppendMessage.Encoded
  ): Appended => {
    tails.set(stream, { subjectSequence: sequence, version: sequence, ordinal, hash })
    if (sequence > newest.sequence) newest = { sequence, hash }
    const position = AppendMessage.position(sequence, events.length - 1)
    known.publish(position)
    return { version: trustedVersion(String(sequence)), position }
  }

  const failed = <E>({ outcome }: Prepared, error: E) => Effect.andThen(outcome.onAbsent, Effect.fail(error))

  /**
   * `null` when another message came first. Each try has its own id, because the server may remember the id of a rejected
   * one.
   */
  const publishAfter = (prepared: Prepared, tail: AppendMessage.Tail, round: number) => {
    const { append, id, outcome, texts } = prepared
    const { events, stream } = append
    const encoded = AppendMessage.encode(stream, tail, events, texts)
    const message = { stream, id: `${id}/${round}`, after: tail.subjectSequence, body: encoded.body }
    return Effect.flatMap(
      publishing.publish(message),
      (published): Effect.Effect<Appended | null, EventStoreError> => {
        switch (published._tag) {
          case "Stored":
            return Effect.as(outcome.onStored, appended(append, published.sequence, encoded))
          case "Conflict":
            tails.delete(stream)
            return Effect.succeed(null)
          case "Rejected":
            return failed(prepared, published.error)
          case "Unknown":
            tails.delete(stream)
            return Effect.andThen(
              fences.settle(message, tail, outcome),
              Effect.fail(withAbsence(published.error, false))
            )
        }
      }
    )
  }

  /** The last message after a conflict. A leader may reject because of a message that is not stored yet and may never be. */
  const tailBehind = (prepared: Prepared, before: AppendMessage.Tail) =>
    Effect.gen(function* () {
      const tail = yield* readTail(prepared.append.stream)
      if (tail.subjectSequence !== before.subjectSequence) return tail
      if ((yield* Clock.currentTimeMillis) - prepared.began > undecidedMs) {
        return yield* new EventStoreError({ reason: "Another append to the same stream is not decided yet" })
      }
      yield* Effect.sleep("50 millis")
      return tail
    }).pipe(Effect.catch((error) => failed(prepared, error)))

  /** Fences change a stream's last message but not its version. `Any` accepts whatever came first. */
  const publish = (
    prepared: Prepared,
    tail: AppendMessage.Tail,
    round: number
  ): Effect.Effect<Appended, WrongExpectedVersion | EventStoreError> =>
    matches(prepared.append.expected, tail)
      ? Effect.flatMap(publishAfter(prepared, tail, round), (done) =>
          done === null
            ? Effect.flatMap(tailBehind(prepared, tail), (newest) => publish(prepared, newest, round + 1))
            : Effect.succeed(done)
        )
      : failed(prepared, conflictOf(prepared.append))

  const store = Effect.fnUntraced(function* (append: Append) {
    const texts = append.events.map(({ data }) => CanonicalJson.stringify(data))
    const tail = yield* tailFor(append.stream, append.expected)
    if (!matches(append.expected, tail)) return yield* conflictOf(append)
    const id = `${Subjects.escape(append.stream)}/${random().toString("base64url")}`
    const outcome = yield* payloadWork(append, id)
    return yield* publish({ append, texts, id, outcome, began: yield* Clock.currentTimeMillis }, tail, 0)
  })

  const append: EventStore["Service"]["append"] = (append) =>
    Effect.suspend(() => {
      const began = performance.now()
      return Effect.mapBoth(store(append), {
        // Any other failure means that it was not sent or was rejected.
        onFailure: (error) =>
          error._tag === "EventStoreError" && error.isAbsent === undefined ? withAbsence(error, true) : error,
        onSuccess: (done) => {
          observe({
            appends: 1,
            events: append.events.length,
            durationMs: performance.now() - began
          })
          return done
        }
      })
    }).pipe(Effect.uninterruptible)

  return { append, newest: () => newest }
})

const withAbsence = ({ cause, reason }: EventStoreError, isAbsent: boolean) =>
  new EventStoreError({ reason, isAbsent, ...(cause !== undefined && { cause }) })

const conflictOf = ({ stream }: Append) => new WrongExpectedVersion({ stream })

const matches = (expected: ExpectedVersion, tail: AppendMessage.Tail): boolean => {
  switch (expected._tag) {
    case "Any":
      return true
    case "NoStream":
      return tail.version === 0
    case "Exactly":
      return tail.version !== 0 && expected.version === String(tail.version)
  }
}
