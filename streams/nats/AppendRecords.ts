/** The payload records that one append brings. When it does not take place, what is theirs goes, and nothing else. */
import { Effect } from "effect"
import type { EventStoreError } from "../EventReader.ts"
import type { SealedPayload } from "../SealedPayload.ts"
import type { StreamName } from "../StreamName.ts"
import { Nats } from "./Nats.ts"
import * as PayloadRecords from "./PayloadRecords.ts"
import * as Sending from "./Sending.ts"
import * as Subjects from "./Subjects.ts"

export interface AppendRecords {
  /** Durable when it returns. */
  readonly put: Effect.Effect<void, EventStoreError>
  /** None of them is there when it returns, nor comes later. May be done again when it fails. */
  readonly withdraw: Effect.Effect<void, EventStoreError>
}

/** @param id unique, of the append. */
export type RecordsOf = (
  stream: StreamName,
  id: string,
  payloads: ReadonlyArray<SealedPayload>
) => AppendRecords

const conflict = new Error("a record conflicts, though it expects nothing")

export const make = Effect.fnUntraced(function* (records: PayloadRecords.PayloadRecords) {
  const { options } = yield* Nats
  const subjects = Subjects.make(options)
  const { sendWithRetry, send } = yield* Sending.make("A payload record was not stored")

  const storedAt = (sent: Sending.Sent): Effect.Effect<number, EventStoreError> => {
    switch (sent._tag) {
      case "Stored":
        return Effect.succeed(sent.sequence)
      case "Conflict":
        return Effect.die(conflict)
      case "Refused":
      case "Unknown":
        return Effect.fail(sent.error)
    }
  }

  /**
   * An empty message under its id takes its place: the record is answered with, or refused as its duplicate when it comes.
   * On a subject of its own: a record that was sent anew under another id stays in sight.
   */
  const sendPlaceholder = (stream: StreamName, { id }: Sending.Outgoing) =>
    Effect.flatMap(send({ subject: subjects.taken(stream), id, body: "" }), storedAt)

  const recordsOf: RecordsOf = (stream, id, payloads) => {
    /** Of those that may be there, with the sequence numbers of those that are. */
    const sent = new Map<Sending.Outgoing, number | null>()

    const putOne = (payload: SealedPayload) =>
      Effect.suspend(() => {
        const { hash, name } = payload
        const message = { ...PayloadRecords.encode(subjects, stream, payload), id: `${id}/${name}/${hash}` }
        sent.set(message, null)
        return Effect.flatMap(sendWithRetry(message, send(message)), (answer) => {
          if (answer._tag === "Stored") sent.set(message, answer.sequence)
          if (answer._tag === "Refused") sent.delete(message)
          return storedAt(answer)
        })
      })

    const withdrawOne = Effect.fnUntraced(function* (message: Sending.Outgoing, stored: number | null) {
      yield* records.forget(stored ?? (yield* sendPlaceholder(stream, message)))
      // The server knows ids for two minutes only: after a longer outage the record is payloadWork what took its place.
      const left = stored === null ? yield* records.sentAs(message.subject, message.id) : null
      if (left !== null) yield* records.forget(left)
      sent.delete(message)
    })

    return {
      put: Effect.forEach(payloads, putOne, { concurrency: "unbounded", discard: true }),
      withdraw: Effect.suspend(() =>
        Effect.forEach([...sent], ([message, stored]) => withdrawOne(message, stored), { discard: true })
      )
    }
  }
  return recordsOf
})
