/** Reads of the log's messages. Single ones come from the leader, so that they are never stale. */
import type { JsMsg, MsgRequest, NextMsgRequest, StoredMsg } from "@nats-io/jetstream"
import { Effect, Schedule } from "effect"
import { EventStoreError } from "../EventReader.ts"
import type { RecordedEvent } from "../RecordedEvent.ts"
import type { StreamName } from "../StreamName.ts"
import * as AppendMessage from "./AppendMessage.ts"
import * as MessagePages from "./MessagePages.ts"
import { Nats } from "./Nats.ts"
import * as NatsFailure from "./NatsFailure.ts"
import { names } from "./NatsOptions.ts"
import * as StoredMessages from "./StoredMessages.ts"
import * as Subjects from "./Subjects.ts"

const unreadable = "The log cannot be read"

/** Messages of a stream up to which they are read one by one: a page costs as much as some dozen of these. */
const fewMessages = 16

/** Messages that are asked for one by one where no page is to be had. */
const singles = 64

/** A leader that is just being elected is waited for. */
const electing = Schedule.spaced("250 millis").pipe(Schedule.upTo({ duration: "8 seconds" }))

/** All that the log's stream holds. Unlike a pattern of its subjects it is not looked up among all of them. */
const anything = ">"

export interface MessageReads {
  /** The message with the last event behind the one with sequence number `after`; `null` when there is none. */
  readonly lastAfter: (after: number) => Effect.Effect<AppendMessage.Decoded | null, EventStoreError>
  /** The last message of one stream. */
  readonly lastOf: (stream: StreamName) => Effect.Effect<AppendMessage.Decoded | null, EventStoreError>
  /** The events of one stream in messages after `after`. */
  readonly ofStream: (
    stream: StreamName,
    after: number
  ) => Effect.Effect<ReadonlyArray<RecordedEvent>, EventStoreError>
  /** The first message of the stream after the one with sequence number `after`. */
  readonly next: (stream: StreamName, after: number) => Effect.Effect<StoredMsg | null, EventStoreError>
  /** The message with that sequence number. */
  readonly at: (sequence: number) => Effect.Effect<AppendMessage.Decoded | null, EventStoreError>
  /** Messages from `first` on without a gap, some of them; none at the end of the log. */
  readonly page: (first: number) => Effect.Effect<ReadonlyArray<AppendMessage.Decoded>, EventStoreError>
}

/** What is no append is passed over. The log tells of the first only: there may be many, read again and again. */
const decodeOrPass = (subjects: Subjects.Subjects) => {
  let isTold = false
  const tell = (sequence: number) => {
    isTold = true
    return Effect.logError("A message of the log's stream is no append: it is passed over").pipe(
      Effect.annotateLogs({ sequence })
    )
  }
  // One effect for a page of them: it is read by the hundred thousand.
  return (messages: ReadonlyArray<StoredMsg | JsMsg>): Effect.Effect<ReadonlyArray<AppendMessage.Decoded>> =>
    Effect.suspend(() => {
      let foreign: number | undefined
      const decoded = messages.map(({ data, seq, subject }) => {
        try {
          return AppendMessage.decode(subjects.streamOf(subject), seq, data)
        } catch {
          foreign ??= seq
          return AppendMessage.foreign(seq)
        }
      })
      return foreign === undefined || isTold ? Effect.succeed(decoded) : Effect.as(tell(foreign), decoded)
    })
}

export const make = Effect.gen(function* () {
  const nats = yield* Nats
  const { options } = nats
  const { stream: log } = names(options).events
  const subjects = Subjects.make(options)
  const pages = yield* MessagePages.make
  const decodeAll = decodeOrPass(subjects)
  const decode = (message: StoredMsg) =>
    Effect.map(decodeAll([message]), ([decoded]) => decoded ?? AppendMessage.foreign(message.seq))

  const isElecting = ({ cause }: EventStoreError) => nats.isUp() && NatsFailure.classify(cause) === "unknown"

  const ask = StoredMessages.make(nats, log, unreadable)
  const get = (query: MsgRequest | NextMsgRequest) =>
    Effect.retry(ask(query), { schedule: electing, while: isElecting })

  const decoded = (found: Effect.Effect<StoredMsg | null, EventStoreError>) =>
    Effect.flatMap(found, (message) => (message === null ? Effect.succeed(null) : decode(message)))

  const at = (sequence: number) => decoded(get({ seq: sequence }))

  const next = (stream: StreamName, after: number) =>
    get({ seq: after + 1, next_by_subj: subjects.events(stream) })

  /** Fences and what is foreign hold no event: the last one is before them. */
  const lastBetween = (
    after: number,
    found: AppendMessage.Decoded | null
  ): Effect.Effect<AppendMessage.Decoded | null, EventStoreError> => {
    if (found === null || found.sequence <= after) return Effect.succeed(null)
    if (found.events.length > 0) return Effect.succeed(found)
    return Effect.flatMap(at(found.sequence - 1), (before) => lastBetween(after, before))
  }

  /** What is foreign says nothing of the stream that it lies in: the last append is somewhere before it. */
  const beforeForeign = Effect.fnUntraced(function* (stream: StreamName, last: AppendMessage.Decoded) {
    let found = last
    for (let reached = 0; reached < last.sequence;) {
      const message = yield* decoded(next(stream, reached))
      if (message === null) break
      if (!AppendMessage.isForeign(message)) found = message
      reached = message.sequence
    }
    return { ...found, tail: { ...found.tail, subjectSequence: last.sequence } }
  })

  const lastOf = (stream: StreamName) =>
    Effect.flatMap(decoded(get({ last_by_subj: subjects.events(stream) })), (last) =>
      last !== null && AppendMessage.isForeign(last) ? beforeForeign(stream, last) : Effect.succeed(last)
    )

  const named = (sequence: number) =>
    Effect.flatMap(at(sequence), (message) =>
      message === null || message.events.length === 0
        ? Effect.fail(new EventStoreError({ reason: `${unreadable}: it has no message ${sequence}` }))
        : Effect.succeed(message)
    )

  /**
   * From the last message back: each names the one before it, so that none can be left out. A long stream is read on from
   * `after` then, by the page, up to what was read back.
   */
  const ofStream = Effect.fnUntraced(function* (stream: StreamName, after: number) {
    const last = yield* lastOf(stream)
    const back: Array<AppendMessage.Decoded> = []
    const events: Array<RecordedEvent> = []
    let end = last?.tail.version ?? 0
    let reached = after
    let isPaging = true
    while (end > reached) {
      if (back.length < fewMessages || !isPaging) {
        const message = last !== null && last.sequence === end ? last : yield* named(end)
        back.push(message)
        end = message.previous
      } else {
        const page = yield* Effect.orElseSucceed(pages(reached + 1, subjects.events(stream)), () => [])
        const messages = yield* decodeAll(page.filter(({ seq }) => seq <= end))
        for (const message of messages) events.push(...message.events)
        reached = messages.at(-1)?.sequence ?? reached
        isPaging = messages.length > 0
      }
    }
    for (const message of back.toReversed()) events.push(...message.events)
    return events
  })

  /** The leader is asked for some at once, by their numbers. */
  const single = (first: number) =>
    Effect.map(
      Effect.forEach(
        Array.from({ length: singles }, (_, index) => first + index),
        at,
        { concurrency: "unbounded" }
      ),
      (found) => {
        const end = found.indexOf(null)
        return (end === -1 ? found : found.slice(0, end)).filter((message) => message !== null)
      }
    )

  /** Up to the first gap: what is missing has not been there when it was asked for. The leader has it. */
  const page = Effect.fnUntraced(function* (first: number) {
    const messages = yield* Effect.catch(pages(first, anything), (error) =>
      nats.isUp() ? Effect.succeed([]) : Effect.fail(error)
    )
    const end = messages.findIndex(({ seq }, index) => seq !== first + index)
    const found = yield* decodeAll(end === -1 ? messages : messages.slice(0, end))
    return found.length > 0 ? found : yield* single(first)
  })

  return {
    at,
    next,
    lastOf,
    ofStream,
    page,
    lastAfter: (after) =>
      Effect.flatMap(decoded(get({ last_by_subj: anything })), (found) => lastBetween(after, found))
  } satisfies MessageReads
})
