/**
 * Many messages of the log at once, from a consumer at one of its servers, which may lag, or be away. Who asks for the next
 * page finds the consumer of the last one still there.
 */
import { AckPolicy, type ConsumerInfo, DeliverPolicy, type JsMsg, jetstreamManager } from "@nats-io/jetstream"
import { Effect, Schedule } from "effect"
import type { EventStoreError } from "../EventReader.ts"
import { Nats } from "./Nats.ts"
import * as NatsFailure from "./NatsFailure.ts"
import { names } from "./NatsOptions.ts"

const unreadable = "The log cannot be read"

/** Messages of a page. */
const pageSize = 2_000

/** Consumers that are kept for their next page. */
const mostKept = 4

/** A consumer that nobody uses is dropped by the server after this, ns. */
const inactiveThreshold = 30_000_000_000

/** How long a page waits for its messages, ms. */
const pageMs = 3_000

/** How long a consumer may take to be made, ms. A cluster may choose a server that is away: the next choice may be better. */
const makeMs = 1_000
const tries = { schedule: Schedule.spaced("50 millis"), times: 1 }

/** After a consumer could not be made, none is asked for for so long, ms: by then the cluster knows who is away. */
const pauseMs = 5_000

/**
 * Messages of the subject from sequence number `first` on, some of them and none left out between them; none where the
 * server has none yet.
 */
type MessagePages = (first: number, subject: string) => Effect.Effect<ReadonlyArray<JsMsg>, EventStoreError>

interface Kept {
  readonly info: ConsumerInfo
  /** Messages that it has not brought yet. */
  readonly pending: number
}

export const make = Effect.gen(function* () {
  const nats = yield* Nats
  const { connection, js, jsm, options } = nats
  const { stream: log } = names(options).events
  // Asks nothing of the servers.
  const hasty = yield* Effect.promise(() =>
    jetstreamManager(connection, { timeout: makeMs, checkAPI: false })
  )
  /** By the subject and the sequence number that they go on with. */
  const kept = new Map<string, Kept>()
  /** By the process's own clock: the time of day may jump. */
  let pausedUntil = 0
  const keyOf = (first: number, subject: string) => `${first} ${subject}`

  const call = <A>(ask: () => Promise<A>) => NatsFailure.attempt(nats, unreadable, ask)

  const add = (first: number, subject: string): Effect.Effect<Kept, EventStoreError> =>
    call(() =>
      hasty.consumers.add(log, {
        ack_policy: AckPolicy.None,
        deliver_policy: DeliverPolicy.StartSequence,
        opt_start_seq: first,
        filter_subject: subject,
        inactive_threshold: inactiveThreshold,
        mem_storage: true,
        num_replicas: 1
      })
    ).pipe(
      Effect.map((info) => ({ info, pending: info.num_pending })),
      Effect.retry({ ...tries, while: nats.isUp }),
      Effect.tapError(() => Effect.sync(() => (pausedUntil = performance.now() + pauseMs)))
    )

  // Nobody waits for it: a server that does not hear of it drops the consumer by itself.
  const drop = ({ info: { name } }: Kept) =>
    void (nats.isUp() && jsm.consumers.delete(log, name).catch(() => undefined))

  const keep = (key: string, consumer: Kept) => {
    kept.set(key, consumer)
    for (const [oldest, old] of kept) {
      if (kept.size <= mostKept) return
      kept.delete(oldest)
      drop(old)
    }
  }

  /** Without acknowledgements a message that is lost on its way is not sent again: what follows it is of no use. */
  const fetch = (info: ConsumerInfo, count: number) =>
    call(async () => {
      const messages: Array<JsMsg> = []
      const consumer = js.consumers.getConsumerFromInfo(info)
      let next = 0
      for await (const message of await consumer.fetch({ max_messages: count, expires: pageMs })) {
        const { deliverySequence } = message.info
        if (next !== 0 && deliverySequence !== next) break
        next = deliverySequence + 1
        messages.push(message)
      }
      return messages
    })

  const pageOf = (consumer: Kept, subject: string) =>
    Effect.suspend(() => {
      const count = Math.min(consumer.pending, pageSize)
      return count === 0 ? Effect.succeed([]) : fetch(consumer.info, count)
    }).pipe(
      Effect.tap((messages) =>
        Effect.sync(() => {
          const last = messages.at(-1)
          if (last === undefined || last.info.pending === 0) return drop(consumer)
          keep(keyOf(last.seq + 1, subject), { info: consumer.info, pending: last.info.pending })
        })
      ),
      Effect.onError(() => Effect.sync(() => drop(consumer)))
    )

  const paused = NatsFailure.failure(unreadable, new Error("the servers make no consumers"))

  const fresh = (first: number, subject: string) =>
    Effect.suspend(() => (performance.now() < pausedUntil ? Effect.fail(paused) : add(first, subject))).pipe(
      Effect.flatMap((consumer) => pageOf(consumer, subject))
    )

  const pages: MessagePages = (first, subject) =>
    Effect.suspend(() => {
      const key = keyOf(first, subject)
      const consumer = kept.get(key)
      if (consumer === undefined) return fresh(first, subject)
      kept.delete(key)
      // It may be forgotten by now, or have lost what it sent to a connection that broke.
      return Effect.flatMap(
        Effect.orElseSucceed(pageOf(consumer, subject), () => []),
        (messages) => (messages.length === 0 ? fresh(first, subject) : Effect.succeed(messages))
      )
    })
  return pages
})
