/** Sending one message to the servers, under an id by which they know it again: tried again until its fate is known. */
import type { MsgHdrs, NatsConnection } from "@nats-io/transport-node"
import { Clock, Effect } from "effect"
import type { EventStoreError } from "../EventReader.ts"
import { Nats } from "./Nats.ts"
import * as NatsFailure from "./NatsFailure.ts"

export interface Outgoing {
  readonly subject: string
  /** Unique: what comes again under it within two minutes is not stored again, and is answered as the first. */
  readonly id: string
  readonly body: Uint8Array | string
  readonly headers?: MsgHdrs
  /** Sequence number of the last message of the subject, 0 for none; not looked at when absent. */
  readonly after?: number
}

export type Sent =
  | { readonly _tag: "Stored"; readonly sequence: number }
  /** Another message follows that one. */
  | { readonly _tag: "Conflict" }
  /** It is not stored, and will not be. */
  | { readonly _tag: "Refused"; readonly error: EventStoreError }
  /** Nobody knows: it may be stored, or may yet be. */
  | { readonly _tag: "Unknown"; readonly error: EventStoreError }

export type Known = Exclude<Sent, { readonly _tag: "Unknown" }>

/** How long a try waits for its answer, ms. */
const tryMs = 3_000

/** Longer than an election, of 5 to 7 s. */
const electionMs = 10_000

/** How long a connection that is lost is waited for, ms. */
const reconnectMs = 2_000

const pause = "200 millis"

/** Bytes that headers take at most, of which the client tells nothing. */
const headerBytes = 4_096

export interface Sending {
  /** Waits for a short break of the connection to end. */
  readonly untilUp: Effect.Effect<void>
  /** One try. */
  readonly send: (message: Outgoing) => Effect.Effect<Sent>
  /** Waits for an election and for a short break of the connection; `again` is what is tried then. */
  readonly sendWithRetry: (message: Outgoing, again: Effect.Effect<Sent>) => Effect.Effect<Sent>
  /** Goes on until the fate is known. */
  readonly sendUntilKnown: (again: Effect.Effect<Sent>) => Effect.Effect<Known>
}

/** What a server refuses closes no connection when it is not sent. */
const tooLarge = ({ info }: NatsConnection, body: Outgoing["body"]): string | null => {
  const bytes = Buffer.byteLength(body)
  const most = info?.max_payload ?? Infinity
  return bytes + headerBytes > most
    ? `its ${bytes} bytes are too many for the servers' max_payload of ${most}`
    : null
}

/** @param what is not done when it fails, as in "The append was not acknowledged". */
export const make = (what: string): Effect.Effect<Sending, never, Nats> =>
  Effect.map(Nats, (nats) => {
    const refused = (why: string): Sent => ({
      _tag: "Refused",
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
              // The server knows the id of what was sent before, which has no place yet and may never get one.
              seq === 0
                ? { _tag: "Unknown", error: NatsFailure.failure(what, new Error("it is not decided")) }
                : { _tag: "Stored", sequence: seq },
            onFailure: (cause): Sent => {
              const fate = NatsFailure.classify(cause)
              if (fate === "conflict") return { _tag: "Conflict" }
              const error = NatsFailure.failure(what, cause)
              return fate === "refused" ? { _tag: "Refused", error } : { _tag: "Unknown", error }
            }
          })
        )

    const send: Sending["send"] = (message) =>
      Effect.suspend(() => {
        const why = tooLarge(nats.connection, message.body)
        if (why !== null) return Effect.succeed(refused(why))
        // Else it would lie here until there is one, when nobody waits for it any more.
        return nats.isUp() ? publish(message) : Effect.succeed(refused(noConnection))
      })

    const untilUp = Effect.suspend(() =>
      nats.isUp()
        ? Effect.void
        : Effect.repeat(Effect.sleep("50 millis"), {
            until: () => nats.isUp() || nats.downMs() > reconnectMs
          })
    )

    /** What is refused now may have been taken before: only what was stored, or lost the race, is known. */
    const retry = (again: Effect.Effect<Sent>) =>
      Effect.map(again, (sent): Sent =>
        sent._tag === "Refused" ? { _tag: "Unknown", error: sent.error } : sent
      )

    const tryAgain = (again: Effect.Effect<Sent>, since: number, unknown: Sent): Effect.Effect<Sent> =>
      Effect.flatMap(Effect.andThen(Effect.sleep(pause), Clock.currentTimeMillis), (now) => {
        if (now - since > electionMs || nats.downMs() > reconnectMs) return Effect.succeed(unknown)
        return Effect.flatMap(retry(again), (sent) =>
          sent._tag === "Unknown" ? tryAgain(again, since, sent) : Effect.succeed(sent)
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
            ? Effect.flatMap(Clock.currentTimeMillis, (since) => tryAgain(again, since, sent))
            : Effect.succeed(sent)
        )
    }
  })
