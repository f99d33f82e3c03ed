/**
 * Reads many messages of the log at once, from a consumer at one of its servers, which may lag or be down. A consumer stays
 * open for the next page.
 */
import { AckPolicy, type ConsumerInfo, DeliverPolicy, type JsMsg, jetstreamManager } from "@nats-io/jetstream"
import { Effect, Schedule } from "effect"
import type { EventStoreError } from "../EventReader.ts"
import { Nats } from "./Nats.ts"
import * as NatsFailure from "./NatsFailure.ts"
import { names } from "./NatsOptions.ts"

const unreadable = "The log cannot be read"

/** Messages per page. */
const pageSize = 2_000

/** The most consumers that stay open for their next page. */
const maxOpen = 4

/** The server drops an unused consumer after this time, ns. */
const inactiveThreshold = 30_000_000_000

/** How long a page waits for its messages, ms. */
const pageMs = 3_000

/**
 * How long the creation of a consumer may take, ms. A cluster may choose a server that is down; the next choice may be
 * better.
 */
const makeMs = 1_000
const tries = { schedule: Schedule.spaced("50 millis"), times: 1 }

/** How long no consumer is created after a failure, ms. By then the cluster knows which server is down. */
const pauseMs = 5_000

/**
 * Messages of the subject from sequence number `first` on without gaps, as many as the page has. Empty when the server has
 * none yet.
 */
type MessagePages = (first: number, subject: string) => Effect.Effect<ReadonlyArray<JsMsg>, EventStoreError>

interface OpenConsumer {
  readonly info: ConsumerInfo
  /** The number of messages that the consumer has not delivered yet. */
  readonly pending: number
}

export const make = Effect.gen(function* () {
  const nats = yield* Nats
  const { connection, js, jsm, options } = nats
  const { stream: log } = names(options).events
  // This sends no request.
  const impatient = yield* Effect.promise(() =>
    jetstreamManager(connection, { timeout: makeMs, checkAPI: false })
  )
  /** By subject and the sequence number at which they continue. */
  const openConsumers = new Map<string, OpenConsumer>()
  /** On the process's monotonic clock, because the time of day may jump. */
  let pausedUntil = 0
  const keyOf = (first: number, subject: string) => `${first} ${subject}`

  const call = <A>(ask: () => Promise<A>) => NatsFailure.attempt(nats, unreadable, ask)

  const add = (first: number, subject: string): Effect.Effect<OpenConsumer, EventStoreError> =>
    call(() =>
      impatient.consumers.add(log, {
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

  // Not awaited: if the server misses it, it drops the consumer after the timeout.
  const drop = ({ info: { name } }: OpenConsumer) =>
    void (nats.isUp() && jsm.consumers.delete(log, name).catch(() => undefined))

  const keepOpen = (key: string, consumer: OpenConsumer) => {
    openConsumers.set(key, consumer)
    for (const [oldest, old] of openConsumers) {
      if (openConsumers.size <= maxOpen) return
      openConsumers.delete(oldest)
      drop(old)
    }
  }

  /** Without acknowledgements, a lost message is not sent again, so everything after it is useless. */
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

  const pageOf = (consumer: OpenConsumer, subject: string) =>
    Effect.suspend(() => {
      const count = Math.min(consumer.pending, pageSize)
      return count === 0 ? Effect.succeed([]) : fetch(consumer.info, count)
    }).pipe(
      Effect.tap((messages) =>
        Effect.sync(() => {
          const last = messages.at(-1)
          if (last === undefined || last.info.pending === 0) return drop(consumer)
          keepOpen(keyOf(last.seq + 1, subject), { info: consumer.info, pending: last.info.pending })
        })
      ),
      Effect.onError(() => Effect.sync(() => drop(consumer)))
    )

  const paused = NatsFailure.failure(unreadable, new Error("the servers create no consumers at the moment"))

  const fresh = (first: number, subject: string) =>
    Effect.suspend(() => (performance.now() < pausedUntil ? Effect.fail(paused) : add(first, subject))).pipe(
      Effect.flatMap((consumer) => pageOf(consumer, subject))
    )

  const pages: MessagePages = (first, subject) =>
    Effect.suspend(() => {
      const key = keyOf(first, subject)
      const consumer = openConsumers.get(key)
      if (consumer === undefined) return fresh(first, subject)
      openConsumers.delete(key)
      // The server may have dropped the consumer, or its messages may be lost with a broken connection.
      return Effect.flatMap(
        Effect.orElseSucceed(pageOf(consumer, subject), () => []),
        (messages) => (messages.length === 0 ? fresh(first, subject) : Effect.succeed(messages))
      )
    })
  return pages
})
