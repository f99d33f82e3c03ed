/** The payload records of one append. If the append does not take place, its records are removed, and no others. */
import { Effect } from "effect"
import type { EventStoreError } from "../EventReader.ts"
import type { SealedPayload } from "../SealedPayload.ts"
import type { StreamName } from "../StreamName.ts"
import { Nats } from "./Nats.ts"
import * as PayloadRecords from "./PayloadRecords.ts"
import * as Sending from "./Sending.ts"
import * as Subjects from "./Subjects.ts"

export interface AppendRecords {
  /** Stores the records. Durable when it returns. */
  readonly put: Effect.Effect<void, EventStoreError>
  /** Removes the records. When it returns, none exists or can still arrive. May be repeated after a failure. */
  readonly withdraw: Effect.Effect<void, EventStoreError>
}

/** @param id unique id of the append. */
export type RecordsOf = (
  stream: StreamName,
  id: string,
  payloads: ReadonlyArray<SealedPayload>
) => AppendRecords

const conflict = new Error("a record conflicts although it expects nothing")

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
      case "Rejected":
      case "Unknown":
        return Effect.fail(sent.error)
    }
  }

  /**
   * Sends an empty message with the record's id. The server then answers with the stored record, or rejects the record as a
   * duplicate if it arrives later. It has a subject of its own, so that it does not hide a record sent again with another
   * id.
   */
  const sendPlaceholder = (stream: StreamName, { id }: Sending.Outgoing) =>
    Effect.flatMap(send({ subject: subjects.taken(stream), id, body: "" }), storedAt)

  const recordsOf: RecordsOf = (stream, id, payloads) => {
    /** Records that may be stored, with their sequence numbers where known. */
    const sent = new Map<Sending.Outgoing, number | null>()

    const putOne = (payload: SealedPayload) =>
      Effect.suspend(() => {
        const { hash, name } = payload
        const message = { ...PayloadRecords.encode(subjects, stream, payload), id: `${id}/${name}/${hash}` }
        sent.set(message, null)
        return Effect.flatMap(sendWithRetry(message, send(message)), (answer) => {
          if (answer._tag === "Stored") sent.set(message, answer.sequence)
          if (answer._tag === "Rejected") sent.delete(message)
          return storedAt(answer)
        })
      })

    const withdrawOne = Effect.fnUntraced(function* (message: Sending.Outgoing, stored: number | null) {
      yield* records.forget(stored ?? (yield* sendPlaceholder(stream, message)))
      // The server remembers ids for two minutes. After a longer outage, both the record and the placeholder may exist.
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
