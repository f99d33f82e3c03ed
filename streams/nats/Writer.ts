/**
 * Appends as messages: payload records first, then one message with all events, chained to the last event of its stream and
 * accepted by the server only if that is still the last one.
 */
import { Effect } from "effect"
import * as CanonicalJson from "#domain/CanonicalJson.ts"
import { AppendObserver } from "../AppendObserver.ts"
import type { EventStoreError } from "../EventReader.ts"
import { type Append, type Appended, type EventStore, WrongExpectedVersion } from "../EventStore.ts"
import { type ExpectedVersion, trustedVersion } from "../ExpectedVersion.ts"
import * as RandomPool from "../RandomPool.ts"
import * as RecentlyUsed from "../RecentlyUsed.ts"
import type { StreamName } from "../StreamName.ts"
import * as AppendMessage from "./AppendMessage.ts"
import type { Erasures } from "./Erasures.ts"
import type { Fences } from "./Fences.ts"
import type { MessageReads } from "./MessageReads.ts"
import type { PayloadRecords } from "./PayloadRecords.ts"
import type { Publish } from "./Publish.ts"

/** Streams whose last link is kept. */
const capacity = 20_000

const idBytes = 12

export interface WriterParts {
  readonly reads: MessageReads
  readonly records: PayloadRecords
  readonly publishing: Publish
  readonly fences: Fences
  readonly erasures: Erasures
}

export const make = Effect.fnUntraced(function* ({
  erasures,
  fences,
  publishing,
  reads,
  records
}: WriterParts) {
  const observe = yield* AppendObserver
  const random = RandomPool.make(idBytes)
  const tails = RecentlyUsed.make<AppendMessage.Tail>({ capacity })

  /** As the leader has it. */
  const readTail = (stream: StreamName) =>
    Effect.map(reads.lastOf(stream), (last) => {
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

  const removeRecords = ({ payloads = [], stream }: Append) =>
    Effect.forEach(payloads, ({ hash, name }) => records.remove(stream, name, hash), { discard: true }).pipe(
      Effect.catch((error) => Effect.logWarning("Payload records that no event names are left behind", error))
    )

  const putRecords = ({ erases = [], payloads = [], stream }: Append) =>
    Effect.forEach(
      payloads.filter(({ name }) => !erases.includes(name)),
      (payload) => records.put(stream, payload),
      { concurrency: "unbounded", discard: true }
    )

  const appended = (
    stream: StreamName,
    count: number,
    sequence: number,
    { hash, ordinal }: AppendMessage.Encoded
  ): Appended => {
    tails.set(stream, { subjectSequence: sequence, version: sequence, ordinal, hash })
    return {
      version: trustedVersion(String(sequence)),
      position: AppendMessage.position(sequence, count - 1)
    }
  }

  /** `null` when another message came first. */
  const publishAfter = (append: Append, texts: ReadonlyArray<string>, tail: AppendMessage.Tail) => {
    const { events, stream } = append
    const encoded = AppendMessage.encode(stream, tail, events, texts)
    const message = {
      stream,
      id: `${stream}/${random().toString("base64url")}`,
      after: tail.subjectSequence,
      body: encoded.body
    }
    return Effect.flatMap(
      publishing.publish(message),
      (published): Effect.Effect<Appended | null, EventStoreError> => {
        switch (published._tag) {
          case "Stored":
            return Effect.succeed(appended(stream, events.length, published.sequence, encoded))
          case "Conflict":
            tails.delete(stream)
            return Effect.succeed(null)
          case "Refused":
            return Effect.andThen(removeRecords(append), Effect.fail(published.error))
          case "Unknown":
            tails.delete(stream)
            return Effect.andThen(
              fences.settle(message, tail, removeRecords(append)),
              Effect.fail(published.error)
            )
        }
      }
    )
  }

  const conflict = (append: Append) =>
    Effect.andThen(removeRecords(append), Effect.fail(new WrongExpectedVersion({ stream: append.stream })))

  /** Fences move a stream's last message on, and leave its version; `Any` takes whatever came first. */
  const publish = (
    append: Append,
    texts: ReadonlyArray<string>,
    tail: AppendMessage.Tail
  ): Effect.Effect<Appended, WrongExpectedVersion | EventStoreError> =>
    matches(append.expected, tail)
      ? Effect.flatMap(publishAfter(append, texts, tail), (done) =>
          done === null
            ? Effect.flatMap(readTail(append.stream), (newest) => publish(append, texts, newest))
            : Effect.succeed(done)
        )
      : conflict(append)

  const store = Effect.fnUntraced(function* (append: Append, texts: ReadonlyArray<string>) {
    const tail = yield* tailFor(append.stream, append.expected)
    if (!matches(append.expected, tail)) return yield* conflictUnstored(append)
    yield* putRecords(append).pipe(Effect.tapError(() => Effect.forkDetach(removeRecords(append))))
    return yield* publish(append, texts, tail)
  })

  const conflictUnstored = ({ stream }: Append) => Effect.fail(new WrongExpectedVersion({ stream }))

  const append: EventStore["Service"]["append"] = (append) =>
    Effect.suspend(() => {
      const texts = append.events.map(({ data }) => CanonicalJson.stringify(data))
      const began = performance.now()
      const storing =
        append.erases === undefined || append.erases.length === 0
          ? store(append, texts)
          : erasures.around(append.stream, append.erases, store(append, texts))
      return Effect.map(storing, (done) => {
        observe({ appends: 1, events: texts.length, durationMs: performance.now() - began })
        return done
      })
    }).pipe(Effect.uninterruptible)

  return { append }
})

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
