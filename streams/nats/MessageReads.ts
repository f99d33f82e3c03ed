/**
 * Reads of the log's messages. Single ones come from the leader, so that they are never stale; pages from a consumer that
 * lives as long as the page.
 */
import {
  AckPolicy,
  type ConsumerInfo,
  DeliverPolicy,
  type JsMsg,
  type MsgRequest,
  type NextMsgRequest,
  type StoredMsg
} from "@nats-io/jetstream"
import { Effect, Option, Schedule } from "effect"
import type { EventStoreError } from "../EventReader.ts"
import type { RecordedEvent } from "../RecordedEvent.ts"
import type { StreamName } from "../StreamName.ts"
import * as AppendMessage from "./AppendMessage.ts"
import { Nats } from "./Nats.ts"
import * as NatsFailure from "./NatsFailure.ts"
import { names } from "./NatsOptions.ts"
import * as Subjects from "./Subjects.ts"

const unreadable = "The log cannot be read"

/** Messages of a page. */
const pageSize = 2_000

/** Messages up to which a stream, or a page, is read one by one: a consumer costs as much as some dozen of these. */
const fewMessages = 16

/** A consumer of a page that was not taken down is dropped by the server after this, ns. */
const inactiveThreshold = 30_000_000_000

/** How long a page waits for its messages, ms. */
const pageMs = 5_000

/** A leader that is just being elected is waited for, a little. */
const electing = { schedule: Schedule.spaced("250 millis"), times: 4 }

export interface MessageReads {
  /** The message with the last event of the log, as the leader knows it; `null` when there is none. */
  readonly last: Effect.Effect<AppendMessage.Decoded | null, EventStoreError>
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

/** What somebody else has put into the stream is no append: it is passed over. */
const decodeOr = (subjects: Subjects.Subjects) => {
  let isTold = false
  return (sequence: number, subject: string, data: Uint8Array) =>
    Effect.try(() => AppendMessage.decode(subjects.streamOf(subject), sequence, data)).pipe(
      Effect.catch((cause) => {
        const told = isTold
          ? Effect.void
          : Effect.annotateLogs(Effect.logError("A message of the log's stream is no append", cause), {
              sequence
            })
        isTold = true
        return Effect.as(told, { sequence, events: [], tail: AppendMessage.noTail })
      })
    )
}

export const make = Effect.gen(function* () {
  const nats = yield* Nats
  const { js, jsm, options } = nats
  const { stream: log } = names(options).events
  const subjects = Subjects.make(options)
  const decode = decodeOr(subjects)
  const decodeStored = ({ data, seq, subject }: StoredMsg | JsMsg) => decode(seq, subject, data)

  const call = <A>(ask: () => Promise<A>) =>
    Effect.retry(NatsFailure.attempt(nats, unreadable, ask), { ...electing, while: nats.isUp })

  // The server takes `next_by_subj` from the leader too; the client's types know it of direct reads only.
  const get = (query: MsgRequest | NextMsgRequest) =>
    call(() => jsm.streams.getMessage(log, query as MsgRequest))

  const decoded = (found: Effect.Effect<StoredMsg | null, EventStoreError>) =>
    Effect.flatMap(found, (message) => (message === null ? Effect.succeed(null) : decodeStored(message)))

  const at = (sequence: number) => decoded(get({ seq: sequence }))

  /** Fences hold no event: the last one is before them. */
  const lastUpTo = (
    found: AppendMessage.Decoded | null
  ): Effect.Effect<AppendMessage.Decoded | null, EventStoreError> =>
    found === null || found.events.length > 0 || found.sequence === 1
      ? Effect.succeed(found !== null && found.events.length > 0 ? found : null)
      : Effect.flatMap(at(found.sequence - 1), lastUpTo)

  const consume = (consumer: ConsumerInfo, count: number) =>
    call(async () => {
      const messages: Array<JsMsg> = []
      const fetched = await js.consumers
        .getConsumerFromInfo(consumer)
        .fetch({ max_messages: count, expires: pageMs })
      for await (const message of fetched) messages.push(message)
      return messages
    })

  /** Of the messages from `first` on, those of `filter`, as many as there are now but at most a page. */
  const fetch = (first: number, filter: string) =>
    Effect.acquireUseRelease(
      call(() =>
        jsm.consumers.add(log, {
          ack_policy: AckPolicy.None,
          deliver_policy: DeliverPolicy.StartSequence,
          opt_start_seq: first,
          filter_subject: filter,
          inactive_threshold: inactiveThreshold,
          mem_storage: true,
          num_replicas: 1
        })
      ),
      (consumer) => {
        const count = Math.min(consumer.num_pending, pageSize)
        return count === 0
          ? Effect.succeed([])
          : Effect.flatMap(consume(consumer, count), Effect.forEach(decodeStored))
      },
      ({ name }) => Effect.ignore(call(() => jsm.consumers.delete(log, name)))
    )

  /** Up to the first gap: what is missing has not been there when it was asked for, and is asked for again. */
  const withoutGap = (first: number) => (messages: ReadonlyArray<AppendMessage.Decoded>) => {
    const end = messages.findIndex(({ sequence }, index) => sequence !== first + index)
    return end === -1 ? messages : messages.slice(0, end)
  }

  const next = (stream: StreamName, after: number) =>
    get({ seq: after + 1, next_by_subj: subjects.events(stream) })

  const lastOf = (stream: StreamName) => decoded(get({ last_by_subj: subjects.events(stream) }))

  const ofStream = Effect.fnUntraced(function* (stream: StreamName, after: number) {
    const last = yield* lastOf(stream)
    if (last === null || last.sequence <= after) return []
    const events: Array<RecordedEvent> = []
    let reached = after
    for (let count = 0; reached < last.sequence; count++) {
      const messages =
        count < fewMessages
          ? Option.toArray(Option.fromNullishOr(yield* decoded(next(stream, reached))))
          : yield* fetch(reached + 1, subjects.events(stream))
      for (const message of messages) events.push(...message.events)
      const end = messages.at(-1)?.sequence
      if (end === undefined) break
      reached = end
    }
    return events
  })

  return {
    at,
    next,
    lastOf,
    ofStream,
    last: Effect.flatMap(decoded(get({ last_by_subj: subjects.allEvents })), lastUpTo),
    page: (first) => Effect.map(fetch(first, subjects.allEvents), withoutGap(first))
  } satisfies MessageReads
})
