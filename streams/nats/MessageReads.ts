/** Reads messages of the log. Single messages come from the leader, so they are never stale. */
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

/** The most messages of a stream that are read one by one. A page costs as much as some dozen of them. */
const maxSingleReads = 16

/** The number of messages read one by one when there is no page. */
const singleReads = 64

/** Waits for the election of a leader. */
const electing = Schedule.spaced("250 millis").pipe(Schedule.upTo({ duration: "8 seconds" }))

/** Matches everything in the log's stream. Unlike a pattern of its subjects, it needs no lookup among all of them. */
const anything = ">"

export interface MessageReads {
  /** The message with the last event after the one with sequence number `after`. `null` when there is none. */
  readonly lastAfter: (after: number) => Effect.Effect<AppendMessage.Decoded | null, EventStoreError>
  /** The last message of a stream. */
  readonly lastOf: (stream: StreamName) => Effect.Effect<AppendMessage.Decoded | null, EventStoreError>
  /** The events of a stream in messages after `after`. */
  readonly ofStream: (
    stream: StreamName,
    after: number
  ) => Effect.Effect<ReadonlyArray<RecordedEvent>, EventStoreError>
  /** The first message of the stream after the one with sequence number `after`. */
  readonly next: (stream: StreamName, after: number) => Effect.Effect<StoredMsg | null, EventStoreError>
  /** The message with that sequence number. */
  readonly at: (sequence: number) => Effect.Effect<AppendMessage.Decoded | null, EventStoreError>
  /** Some messages from `first` on without gaps. Empty at the end of the log. */
  readonly page: (first: number) => Effect.Effect<ReadonlyArray<AppendMessage.Decoded>, EventStoreError>
}

/**
 * Decodes messages and skips those that are not appends. Only the first one is logged, because there may be many that are
 * read again and again.
 */
const decodeOrPass = (subjects: Subjects.Subjects) => {
  let isLogged = false
  const logForeign = (sequence: number) => {
    isLogged = true
    return Effect.logError("A message in the log's stream is not an append and is skipped").pipe(
      Effect.annotateLogs({ sequence })
    )
  }
  // One effect per page, because messages are read by the hundred thousand.
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
      return foreign === undefined || isLogged
        ? Effect.succeed(decoded)
        : Effect.as(logForeign(foreign), decoded)
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

  /** Fences and foreign messages have no events: the last event is before them. */
  const lastBetween = (
    after: number,
    found: AppendMessage.Decoded | null
  ): Effect.Effect<AppendMessage.Decoded | null, EventStoreError> => {
    if (found === null || found.sequence <= after) return Effect.succeed(null)
    if (found.events.length > 0) return Effect.succeed(found)
    return Effect.flatMap(at(found.sequence - 1), (before) => lastBetween(after, before))
  }

  /** A foreign message has no information about its stream: the last append is somewhere before it. */
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
   * Reads backwards from the last message. Each message names the previous one, so none can be missed. A long stream is then
   * read by the page from `after` on, up to what was read before.
   */
  const ofStream = Effect.fnUntraced(function* (stream: StreamName, after: number) {
    const last = yield* lastOf(stream)
    const newest: Array<AppendMessage.Decoded> = []
    const events: Array<RecordedEvent> = []
    let end = last?.tail.version ?? 0
    let reached = after
    let isPaging = true
    while (end > reached) {
      if (newest.length < maxSingleReads || !isPaging) {
        const message = last !== null && last.sequence === end ? last : yield* named(end)
        newest.push(message)
        end = message.previous
      } else {
        const page = yield* Effect.orElseSucceed(pages(reached + 1, subjects.events(stream)), () => [])
        const messages = yield* decodeAll(page.filter(({ seq }) => seq <= end))
        for (const message of messages) events.push(...message.events)
        reached = messages.at(-1)?.sequence ?? reached
        isPaging = messages.length > 0
      }
    }
    for (const message of newest.toReversed()) events.push(...message.events)
    return events
  })

  /** Reads several messages from the leader concurrently, by sequence number. */
  const single = (first: number) =>
    Effect.map(
      Effect.forEach(
        Array.from({ length: singleReads }, (_, index) => first + index),
        at,
        { concurrency: "unbounded" }
      ),
      (found) => {
        const end = found.indexOf(null)
        return (end === -1 ? found : found.slice(0, end)).filter((message) => message !== null)
      }
    )

  /** Returns messages up to the first gap. A missing message was not on that server yet; the leader has it. */
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
