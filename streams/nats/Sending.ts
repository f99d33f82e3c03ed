/** Sends one message to the servers with an id by which they recognize it, and retries until its fate is known. */
import type { MsgHdrs, NatsConnection } from "@nats-io/transport-node"
import { Clock, Effect } from "effect"
import type { EventStoreError } from "../EventReader.ts"
import { Nats } from "./Nats.ts"
import * as NatsFailure from "./NatsFailure.ts"

export interface Outgoing {
  readonly subject: string
  /** Unique. The server does not store a message with the same id again within two minutes, and repeats its first answer. */
  readonly id: string
  readonly body: Uint8Array | string
  readonly headers?: MsgHdrs
  /** Expected sequence number of the subject's last message, 0 for none. Not checked when absent. */
  readonly after?: number
}

export type Sent =
  | { readonly _tag: "Stored"; readonly sequence: number }
  /** Another message follows the expected one. */
  | { readonly _tag: "Conflict" }
  /** The message is not stored and will not be. */
  | { readonly _tag: "Rejected"; readonly error: EventStoreError }
  /** The fate is unknown: the message may be stored, or still may become so. */
  | { readonly _tag: "Unknown"; readonly error: EventStoreError }

export type Known = Exclude<Sent, { readonly _tag: "Unknown" }>

/** Timeout of a try, ms. */
const tryMs = 3_000

/** Longer than an election, which takes 5 to 7 s. */
const electionMs = 10_000

/** How long to wait for a lost connection, ms. */
const reconnectMs = 2_000

const pause = "200 millis"

/** The most bytes of headers. The client does not report them. */
const headerBytes = 4_096

export interface Sending {
  /** Waits for a short break of the connection to end. */
  readonly untilUp: Effect.Effect<void>
  /** Tries once. */
  readonly send: (message: Outgoing) => Effect.Effect<Sent>
  /**
   * Sends the message. If its fate is unknown, repeats `again` while an election or a short break of the connection may
   * last.
   */
  readonly sendWithRetry: (message: Outgoing, again: Effect.Effect<Sent>) => Effect.Effect<Sent>
  /** Repeats `again` until the fate is known. */
  readonly sendUntilKnown: (again: Effect.Effect<Sent>) => Effect.Effect<Known>
}

/** Checked here, because the server closes the connection when it gets a message that is too large. */
const tooLarge = ({ info }: NatsConnection, body: Outgoing["body"]): string | null => {
  const bytes = Buffer.byteLength(body)
  const most = info?.max_payload ?? Infinity
  return bytes + headerBytes > most ? `its ${bytes} bytes exceed the servers' max_payload of ${most}` : null
}

/** @param what the failed operation, as in "The append was not acknowledged". */
export const make = (what: string): Effect.Effect<Sending, never, Nats> =>
  Effect.map(Nats, (nats) => {
    const rejected = (why: string): Sent => ({
      _tag: "Rejected",
      error: NatsFailure.failure(what, new Error(why))
    })
    const noConnection = "there is no connection to the NATS servers"

    const publish = ({ after, body, headers, id, subject }: Outgoing): Effect.Effect<Sent> =>
      nats
        .request(() =>
          nats.js.publish(subject, body, {
            msgID: id,
            timeout: tryMs,
            ...(headers && { headers }),
            ...(after !== undefined && { expect: { lastSubjectSequence: after } })
          })
        )
        .pipe(
          Effect.match({
            onSuccess: ({ seq }): Sent =>
              // The server has the id of an earlier try that has no sequence number yet and may never get one.
              seq === 0
                ? { _tag: "Unknown", error: NatsFailure.failure(what, new Error("it is not decided yet")) }
                : { _tag: "Stored", sequence: seq },
            onFailure: (cause): Sent => {
              const fate = NatsFailure.classify(cause)
              if (fate === "conflict") return { _tag: "Conflict" }
              const error = NatsFailure.failure(what, cause)
              return fate === "rejected" ? { _tag: "Rejected", error } : { _tag: "Unknown", error }
            }
          })
        )

    const send: Sending["send"] = (message) =>
      Effect.suspend(() => {
        const why = tooLarge(nats.connection, message.body)
        if (why !== null) return Effect.succeed(rejected(why))
        // Otherwise the client would queue it, and send it when its caller has stopped waiting.
        return nats.isUp() ? publish(message) : Effect.succeed(rejected(noConnection))
      })

    const untilUp = Effect.suspend(() =>
      nats.isUp()
        ? Effect.void
        : Effect.repeat(Effect.sleep("50 millis"), {
            until: () => nats.isUp() || nats.downMs() > reconnectMs
          })
    )

    /** A try that is rejected now may have succeeded before, so only `Stored` and `Conflict` are final. */
    const retry = (again: Effect.Effect<Sent>) =>
      Effect.map(again, (sent): Sent =>
        sent._tag === "Rejected" ? { _tag: "Unknown", error: sent.error } : sent
      )

    const repeat = (again: Effect.Effect<Sent>, since: number, unknown: Sent): Effect.Effect<Sent> =>
      Effect.flatMap(Effect.andThen(Effect.sleep(pause), Clock.currentTimeMillis), (now) => {
        if (now - since > electionMs || nats.downMs() > reconnectMs) return Effect.succeed(unknown)
        return Effect.flatMap(retry(again), (sent) =>
          sent._tag === "Unknown" ? repeat(again, since, sent) : Effect.succeed(sent)
        )
      })

    const sendUntilKnown: Sending["sendUntilKnown"] = (again) =>
      Effect.flatMap(retry(again), (sent) =>
        sent._tag === "Unknown"
          ? Effect.andThen(
              Effect.sleep("1 second"),
              Effect.suspend(() => sendUntilKnown(again))
            )
          : Effect.succeed(sent)
      )

    return {
      send,
      sendUntilKnown,
      untilUp,
      sendWithRetry: (message, again) =>
        Effect.flatMap(Effect.andThen(untilUp, send(message)), (sent) =>
          sent._tag === "Unknown"
            ? Effect.flatMap(Clock.currentTimeMillis, (since) => repeat(again, since, sent))
            : Effect.succeed(sent)
        )
    }
  })
