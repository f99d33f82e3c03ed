/**
 * Publishing the message that follows another one of its subject, once: tried again under the same id and expectation until
 * its fate is known, or for as long as whoever waits for it may wait.
 */
import { Clock, Duration, Effect } from "effect"
import type { EventStoreError } from "../EventReader.ts"
import type { StreamName } from "../StreamName.ts"
import type { MessageReads } from "./MessageReads.ts"
import { Nats } from "./Nats.ts"
import * as NatsFailure from "./NatsFailure.ts"
import * as Subjects from "./Subjects.ts"

export interface Message {
  readonly stream: StreamName
  /** Unique: the server, and we ourselves, know the message again by it. */
  readonly id: string
  /** Sequence number of the message of the stream that it follows, 0 for none. */
  readonly after: number
  readonly body: Uint8Array
}

export type Published =
  | { readonly _tag: "Stored"; readonly sequence: number }
  /** Another message follows that one. */
  | { readonly _tag: "Conflict" }
  /** It is not stored, and will not be. */
  | { readonly _tag: "Refused"; readonly error: EventStoreError }
  /** Nobody knows: it may be stored, or may yet be. */
  | { readonly _tag: "Unknown"; readonly error: EventStoreError }

/** How long a try waits for its answer, ms. */
const tryMs = 3_000

/** Longer than an election, of 5 to 7 s. */
const electionMs = 10_000

/** How long a connection that is lost is waited for, ms. */
const reconnectMs = 2_000

const pause = Duration.millis(200)

const what = "The append was not acknowledged"

export interface Publish {
  /** Waits for an election and for a short break of the connection. */
  readonly publish: (message: Message) => Effect.Effect<Published>
  /** Goes on until the fate is known. */
  readonly insist: (message: Message) => Effect.Effect<Exclude<Published, { readonly _tag: "Unknown" }>>
}

export const make = (reads: MessageReads): Effect.Effect<Publish, never, Nats> =>
  Effect.map(Nats, (nats) => {
    const { events } = Subjects.make(nats.options)

    const send = ({ after, body, id, stream }: Message): Effect.Effect<Published> =>
      Effect.tryPromise({
        try: () =>
          nats.js.publish(events(stream), body, {
            msgID: id,
            expect: { lastSubjectSequence: after },
            timeout: tryMs
          }),
        catch: (cause) => cause
      }).pipe(
        Effect.match({
          onSuccess: ({ seq }): Published => ({ _tag: "Stored", sequence: seq }),
          onFailure: (cause): Published => {
            const fate = NatsFailure.classify(cause)
            if (fate === "conflict") return { _tag: "Conflict" }
            const error = NatsFailure.failure(what, cause)
            return fate === "refused" ? { _tag: "Refused", error } : { _tag: "Unknown", error }
          }
        })
      )

    /** After a try whose fate was not known, what comes behind `after` may be that try. */
    const recognize = ({ after, id, stream }: Message): Effect.Effect<Published> =>
      Effect.match(reads.next(stream, after), {
        onFailure: (error): Published => ({ _tag: "Unknown", error }),
        onSuccess: (message): Published => {
          if (message?.header.get("Nats-Msg-Id") === id) return { _tag: "Stored", sequence: message.seq }
          return { _tag: "Conflict" }
        }
      })

    const resend = (message: Message): Effect.Effect<Published> =>
      Effect.flatMap(send(message), (published) =>
        published._tag === "Conflict" ? recognize(message) : Effect.succeed(published)
      )

    const unreachable: Published = {
      _tag: "Refused",
      error: NatsFailure.failure(what, new Error("there is no connection to the NATS servers"))
    }

    const untilUp = Effect.repeat(Effect.sleep("50 millis"), {
      until: () => nats.isUp() || nats.downMs() > reconnectMs
    })

    const first = (message: Message): Effect.Effect<Published> =>
      Effect.suspend(() => {
        if (nats.isUp()) return send(message)
        // Nothing has been sent: this is a refusal, and nobody has to find out what became of it.
        return Effect.flatMap(untilUp, () => (nats.isUp() ? send(message) : Effect.succeed(unreachable)))
      })

    const tryAgain = (message: Message, since: number, unknown: Published): Effect.Effect<Published> =>
      Effect.flatMap(Effect.andThen(Effect.sleep(pause), Clock.currentTimeMillis), (now) => {
        if (now - since > electionMs || nats.downMs() > reconnectMs) return Effect.succeed(unknown)
        return Effect.flatMap(resend(message), (published) =>
          published._tag === "Unknown" ? tryAgain(message, since, published) : Effect.succeed(published)
        )
      })

    const insist: Publish["insist"] = (message) =>
      Effect.flatMap(resend(message), (published) =>
        published._tag === "Unknown"
          ? Effect.andThen(
              Effect.sleep("1 second"),
              Effect.suspend(() => insist(message))
            )
          : Effect.succeed(published)
      )

    return {
      insist,
      publish: (message) =>
        Effect.flatMap(first(message), (published) =>
          published._tag === "Unknown"
            ? Effect.flatMap(Clock.currentTimeMillis, (since) => tryAgain(message, since, published))
            : Effect.succeed(published)
        )
    }
  })
