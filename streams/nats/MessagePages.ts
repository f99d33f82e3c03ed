/** Many messages of the log at once, from a consumer that lives as long as a page. It may be one of a server that lags. */
import { AckPolicy, type ConsumerInfo, DeliverPolicy, type JsMsg } from "@nats-io/jetstream"
import { Effect } from "effect"
import type { EventStoreError } from "../EventReader.ts"
import { Nats } from "./Nats.ts"
import * as NatsFailure from "./NatsFailure.ts"
import { names } from "./NatsOptions.ts"

/** Messages of a page. */
const pageSize = 2_000

/** A consumer of a page that was not taken down is dropped by the server after this, ns. */
const inactiveThreshold = 30_000_000_000

/** How long a page waits for its messages, ms. */
const pageMs = 5_000

/**
 * Messages of the subject from sequence number `first` on, some of them and none left out between them; none where the
 * server has none yet.
 */
export type MessagePages = (
  first: number,
  subject: string
) => Effect.Effect<ReadonlyArray<JsMsg>, EventStoreError>

export const make = Effect.gen(function* () {
  const nats = yield* Nats
  const { js, jsm, options } = nats
  const { stream: log } = names(options).events

  const call = <A>(ask: () => Promise<A>) => NatsFailure.attempt(nats, "The log cannot be read", ask)

  const add = (first: number, subject: string) =>
    call(() =>
      jsm.consumers.add(log, {
        ack_policy: AckPolicy.None,
        deliver_policy: DeliverPolicy.StartSequence,
        opt_start_seq: first,
        filter_subject: subject,
        inactive_threshold: inactiveThreshold,
        mem_storage: true,
        num_replicas: 1
      })
    )

  /** Without acknowledgements a message that is lost on its way is not sent again: what follows it is of no use. */
  const fetch = (consumer: ConsumerInfo, count: number) =>
    call(async () => {
      const messages: Array<JsMsg> = []
      const fetched = await js.consumers
        .getConsumerFromInfo(consumer)
        .fetch({ max_messages: count, expires: pageMs })
      for await (const message of fetched) {
        if (message.info.deliverySequence !== messages.length + 1) break
        messages.push(message)
      }
      return messages
    })

  const pages: MessagePages = (first, subject) =>
    Effect.acquireUseRelease(
      add(first, subject),
      (consumer) => {
        const count = Math.min(consumer.num_pending, pageSize)
        return count === 0 ? Effect.succeed([]) : fetch(consumer, count)
      },
      // Nobody waits for it: a server that does not hear of it drops the consumer by itself.
      ({ name }) => Effect.sync(() => void jsm.consumers.delete(log, name).catch(() => undefined))
    )
  return pages
})
