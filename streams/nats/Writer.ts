/**
 * Appends as messages: payload records first, then one message with all events, chained to the last event of its stream and
 * accepted by the server only if that is still the last one.
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

/** Streams whose last link is kept. */
const capacity = 20_000

const idBytes = 12

/** How long another append may stand in the way without being on the log, ms: about an election. */
const undecidedMs = 10_000

export interface WriterParts {
  readonly reads: MessageReads
  readonly payloadWork: PayloadWork
  readonly publishing: Publish
  readonly fences: Fences
  /** Told of what was appended. */
  readonly known: HeadSignal
}

/** A message that the servers have acknowledged. */
export interface Written {
  readonly sequence: number
  /** Of its last event. */
  readonly hash: string
}

/** An append with what was made ready for it. */
interface Prepared {
  readonly append: Append
  /** Canonical data of each event. */
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

  /** As the leader has it. */
  const readTail = (stream: StreamName) =>
    Effect.map(publishing.whenUp(reads.lastOf(stream)), (last) => {
      const tail = last?.tail ?? AppendMessage.noTail
      tails.set(stream, tail)
      return tail
    })

  /** What is in memory may be old: the server finds that out. */
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

  /** `null` when another message came first. Each try has an id of its own: the server may keep one that it refused. */
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
          case "Refused":
            return failed(prepared, published.error)
          case "Unknown":
            tails.delete(stream)
            return Effect.andThen(
              fences.settle(message, tail, outcome),
              Effect.fail(told(published.error, false))
            )
        }
      }
    )
  }

  /** The last message after a conflict. A leader may refuse for one that is not stored yet, and may never be. */
  const tailBehind = (prepared: Prepared, before: AppendMessage.Tail) =>
    Effect.gen(function* () {
      const tail = yield* readTail(prepared.append.stream)
      if (tail.subjectSequence !== before.subjectSequence) return tail
      if ((yield* Clock.currentTimeMillis) - prepared.began > undecidedMs) {
        return yield* new EventStoreError({ reason: "An append to the same stream is not decided" })
      }
      yield* Effect.sleep("50 millis")
      return tail
    }).pipe(Effect.catch((error) => failed(prepared, error)))

  /** Fences move a stream's last message on, and leave its version; `Any` takes whatever came first. */
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
        // What failed in any other way was not sent, or was refused.
        onFailure: (error) =>
          error._tag === "EventStoreError" && error.isAbsent === undefined ? told(error, true) : error,
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

const told = ({ cause, reason }: EventStoreError, isAbsent: boolean) =>
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
