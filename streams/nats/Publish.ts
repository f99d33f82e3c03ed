/**
 * Publishes a message that follows another one of its subject, once: retries with the same id and expectation until its fate
 * is known, or as long as its caller may wait.
 */
import { Effect } from "effect"
import { EventStoreError } from "../EventReader.ts"
import type { StreamName } from "../StreamName.ts"
import type { MessageReads } from "./MessageReads.ts"
import { Nats } from "./Nats.ts"
import * as Sending from "./Sending.ts"
import * as StoredMessages from "./StoredMessages.ts"
import * as Subjects from "./Subjects.ts"

export interface Message {
  readonly stream: StreamName
  /** Unique. The server and this node recognize the message by it. */
  readonly id: string
  /** Sequence number of the stream's message that it follows. 0 for none. */
  readonly after: number
  readonly body: Uint8Array
}

export interface Publish {
  /** Waits for an election, and for a short break of the connection to end. */
  readonly publish: (message: Message) => Effect.Effect<Sending.Sent>
  /** Runs a read that an append needs, and waits for a short break of the connection to end. */
  readonly whenUp: <A>(read: Effect.Effect<A, EventStoreError>) => Effect.Effect<A, EventStoreError>
  /** Retries until the fate is known. */
  readonly sendUntilKnown: (message: Message) => Effect.Effect<Sending.Known>
}

const notThere = new EventStoreError({
  reason: "The message that conflicts with the append is not on the log yet"
})

export const make = (reads: MessageReads): Effect.Effect<Publish, never, Nats> =>
  Effect.gen(function* () {
    const { isUp, options } = yield* Nats
    const { events } = Subjects.make(options)
    const { sendUntilKnown, sendWithRetry, send, untilUp } = yield* Sending.make(
      "The append was not acknowledged"
    )

    const outgoing = ({ after, body, id, stream }: Message) => ({ subject: events(stream), id, body, after })

    /**
     * After a conflict: an earlier try of this message may have caused it. The first message after the expected one never
     * changes; a server that has none is a former leader, or has not stored it yet.
     */
    const recognize = ({ after, id, stream }: Message): Effect.Effect<Sending.Sent> =>
      Effect.match(reads.next(stream, after), {
        onFailure: (error): Sending.Sent => ({ _tag: "Unknown", error }),
        onSuccess: (message): Sending.Sent => {
          if (message === null) return { _tag: "Unknown", error: notThere }
          return StoredMessages.isSentAs(message, id)
            ? { _tag: "Stored", sequence: message.seq }
            : { _tag: "Conflict" }
        }
      })

    const resend = (message: Message): Effect.Effect<Sending.Sent> =>
      Effect.flatMap(send(outgoing(message)), (sent) =>
        sent._tag === "Conflict" ? recognize(message) : Effect.succeed(sent)
      )

    return {
      whenUp: (read) =>
        Effect.andThen(
          untilUp,
          Effect.catch(read, (error) => (isUp() ? Effect.fail(error) : Effect.andThen(untilUp, read)))
        ),
      sendUntilKnown: (message) => sendUntilKnown(resend(message)),
      publish: (message) => sendWithRetry(outgoing(message), resend(message))
    }
  })
