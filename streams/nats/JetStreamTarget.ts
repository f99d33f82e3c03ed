/**
 * A log at the servers as the target of a copy (`streams/copy`). Many messages are published at once. Each expects the
 * previous one, so the servers store them in order or, after a lost one, none of the rest.
 */
import { Effect, Layer } from "effect"
import * as CanonicalJson from "#domain/CanonicalJson.ts"
import * as CopiedAppends from "../copy/CopiedAppends.ts"
import type { LogTarget } from "../copy/LogTarget.ts"
import { EventReader, EventStoreError } from "../EventReader.ts"
import type { Append } from "../EventStore.ts"
import { RecordedEvent } from "../RecordedEvent.ts"
import * as RecentlyUsed from "../RecentlyUsed.ts"
import * as AppendMessage from "./AppendMessage.ts"
import * as JetStreamEventReader from "./JetStreamEventReader.ts"
import * as MessageReads from "./MessageReads.ts"
import { Nats } from "./Nats.ts"
import * as NatsFailure from "./NatsFailure.ts"
import { names, type NatsOptions } from "./NatsOptions.ts"
import * as NatsStreams from "./NatsStreams.ts"
import * as PayloadRecords from "./PayloadRecords.ts"
import * as Subjects from "./Subjects.ts"

/** The number of messages in flight. */
const inFlight = 256

/** The number of payload records in flight. */
const recordsInFlight = 64

/** Streams whose last hash is in memory. Others are read from the servers. */
const capacity = 50_000

/** Fences in a row, at most. Each takes one position. */
const maxFences = 65_536

const what = "The copy cannot be written"

export interface TargetOptions {
  /**
   * Whether positions on the source are those of a log at servers, and stay the same. A batch must contain whole commits.
   */
  readonly keepsPositions: boolean
}

/** For a log that no node writes to. */
export const make = Effect.fnUntraced(function* ({ keepsPositions }: TargetOptions) {
  const nats = yield* Nats
  const { js, jsm, options } = nats
  yield* NatsStreams.ensure
  const log = names(options).events.stream
  const subjects = Subjects.make(options)
  const reads = yield* MessageReads.make
  const records = yield* PayloadRecords.make
  const reading = yield* Effect.provide(EventReader, JetStreamEventReader.layerNoDeps)
  const tails = RecentlyUsed.make<AppendMessage.Tail>({ capacity })
  const info = yield* NatsFailure.attempt(nats, what, () => jsm.streams.info(log))
  let sequence = info.state.last_seq

  const tailOf = (stream: Append["stream"]) => {
    const known = tails.get(stream)
    if (known !== undefined) return Effect.succeed(known)
    return Effect.map(reads.lastOf(stream), (last) => last?.tail ?? AppendMessage.noTail)
  }

  const putRecords = (appends: ReadonlyArray<Append>) =>
    Effect.forEach(
      appends.flatMap(({ payloads = [], stream }) => payloads.map((payload) => ({ stream, payload }))),
      ({ payload, stream }) => records.put(stream, payload),
      { concurrency: recordsInFlight, discard: true }
    )

  const removeErased = (appends: ReadonlyArray<Append>) =>
    Effect.forEach(
      appends.flatMap(({ erases = [], stream }) => erases.map((name) => ({ stream, name }))),
      ({ name, stream }) => records.remove(stream, name),
      { concurrency: recordsInFlight, discard: true }
    )

  /** Messages without events for positions that the source's log does not use, up to the one before `next`. */
  const fences = Effect.fnUntraced(function* (stream: Append["stream"], next: number) {
    const count = next - 1 - sequence
    if (count === 0) return []
    if (count < 0 || count > maxFences) {
      return yield* new EventStoreError({
        reason: `${what}: the message ${next} cannot follow message ${sequence}, the last one there`
      })
    }
    const tail = yield* tailOf(stream)
    const { body } = AppendMessage.encode(stream, tail, [], [])
    const messages = Array.from({ length: count }, () => ({
      subject: subjects.events(stream),
      body,
      after: sequence++
    }))
    tails.set(stream, { ...tail, subjectSequence: sequence })
    return messages
  })

  /** The message of an append, with its future sequence number. */
  const prepare = Effect.fnUntraced(function* ({ events, stream }: Append) {
    const tail = yield* tailOf(stream)
    const texts = events.map((event) =>
      event instanceof RecordedEvent ? event.text : CanonicalJson.stringify(event.data)
    )
    const { body, hash, ordinal } = AppendMessage.encode(stream, tail, events, texts)
    const after = sequence++
    tails.set(stream, { subjectSequence: sequence, version: sequence, ordinal, hash })
    return { subject: subjects.events(stream), body, after }
  })

  const messagesOf = Effect.fnUntraced(function* (append: Append & { readonly sequence?: number }) {
    const before = append.sequence === undefined ? [] : yield* fences(append.stream, append.sequence)
    return [...before, yield* prepare(append)]
  })

  /** Messages are sent in the order of the calls. */
  const publish = ({ after, body, subject }: Effect.Success<ReturnType<typeof prepare>>) =>
    NatsFailure.attempt(nats, what, () =>
      js.publish(subject, body, { expect: { streamName: log, lastSequence: after } })
    )

  const append: LogTarget["append"] = Effect.fnUntraced(function* (batch) {
    const appends = keepsPositions ? CopiedAppends.byCommit(batch) : CopiedAppends.of(batch)
    yield* putRecords(appends)
    // Before the events of the erasures: an interrupted copy continues after the stored events.
    yield* removeErased(appends)
    const messages = (yield* Effect.forEach(appends, messagesOf)).flat()
    yield* Effect.forEach(messages, publish, { concurrency: inFlight, discard: true })
  })

  return {
    reading,
    append,
    /** Whether there was no message in the log when it was opened. */
    isEmpty: sequence === 0
  } satisfies LogTarget & { readonly isEmpty: boolean }
})

/** Opens a log that no node writes to. */
export const open = (options: NatsOptions) =>
  Effect.flatMap(Layer.build(Nats.layer(options)), (context) =>
    Effect.provide(make({ keepsPositions: false }), context)
  )
