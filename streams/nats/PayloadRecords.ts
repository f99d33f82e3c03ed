/**
 * Payload records at the servers, in a stream beside the log: one message each. The subject contains stream, name and hash.
 */
import { JetStreamApiError, type StoredMsg } from "@nats-io/jetstream"
import { headers } from "@nats-io/transport-node"
import { Effect } from "effect"
import type { EventStoreError } from "../EventReader.ts"
import type { SealedPayload } from "../SealedPayload.ts"
import type { StreamName } from "../StreamName.ts"
import { Nats } from "./Nats.ts"
import * as NatsFailure from "./NatsFailure.ts"
import { names } from "./NatsOptions.ts"
import type { Outgoing } from "./Sending.ts"
import * as StoredMessages from "./StoredMessages.ts"
import * as Subjects from "./Subjects.ts"

const what = "A payload record cannot be read or written"

/** Headers of a record's message. Storage format. */
const saltHeader = "Inferlog-Salt"
const sizeHeader = "Inferlog-Size"
const blobHeader = "Inferlog-Blob"

export interface PayloadRecords {
  /** Durable when it returns. */
  readonly put: (stream: StreamName, payload: SealedPayload) => Effect.Effect<void, EventStoreError>
  readonly find: (
    stream: StreamName,
    name: string,
    hash?: string
  ) => Effect.Effect<SealedPayload | null, EventStoreError>
  /** Overwrites all records with the name, if there are any. */
  readonly remove: (stream: StreamName, name: string) => Effect.Effect<void, EventStoreError>
  /** Overwrites the message with that sequence number, if it exists. */
  readonly forget: (sequence: number) => Effect.Effect<void, EventStoreError>
  /** The sequence number of the subject's message that was sent with the id. `null` when there is none. */
  readonly sentAs: (subject: string, id: string) => Effect.Effect<number | null, EventStoreError>
}

export const encode = (
  subjects: Subjects.Subjects,
  stream: StreamName,
  { content, hash, name, salt, size }: SealedPayload
): Omit<Outgoing, "id"> => {
  const about = headers()
  about.set(saltHeader, salt)
  about.set(sizeHeader, String(size))
  if (content._tag === "Blob") about.set(blobHeader, content.key)
  return {
    subject: subjects.payload(stream, name, hash),
    body: content._tag === "Inline" ? content.text : "",
    headers: about
  }
}

const decode = ({ data, header, subject }: StoredMsg): SealedPayload => {
  const [hash = "", name = ""] = subject.split(".").toReversed().map(Subjects.unescape)
  const key = header.get(blobHeader)
  return {
    name,
    salt: header.get(saltHeader),
    hash,
    size: Number(header.get(sizeHeader)),
    content: key === "" ? { _tag: "Inline", text: Buffer.from(data).toString() } : { _tag: "Blob", key }
  }
}

export const make = Effect.gen(function* () {
  const nats = yield* Nats
  const { js, jsm, options } = nats
  const { stream: store } = names(options).payloads
  const subjects = Subjects.make(options)

  const call = <A>(ask: () => Promise<A>) => NatsFailure.attempt(nats, what, ask)

  const get = StoredMessages.make(nats, store, what)

  const put: PayloadRecords["put"] = (stream, payload) => {
    const { body, headers, subject } = encode(subjects, stream, payload)
    return Effect.asVoid(call(() => js.publish(subject, body, headers && { headers })))
  }

  const find: PayloadRecords["find"] = (stream, name, hash) =>
    Effect.map(get({ last_by_subj: subjects.payload(stream, name, hash) }), (message) =>
      message === null ? null : decode(message)
    )

  /** Another node may have been faster: the server rejects the deletion of a missing message. */
  const forget: PayloadRecords["forget"] = (sequence) =>
    Effect.catch(Effect.asVoid(call(() => jsm.streams.deleteMessage(store, sequence))), (error) =>
      error.cause instanceof JetStreamApiError
        ? Effect.flatMap(get({ seq: sequence }), (found) =>
            found === null ? Effect.void : Effect.fail(error)
          )
        : Effect.fail(error)
    )

  const remove: PayloadRecords["remove"] = (stream, name) =>
    Effect.flatMap(get({ last_by_subj: subjects.payload(stream, name) }), (message) =>
      message === null
        ? Effect.void
        : Effect.andThen(
            forget(message.seq),
            Effect.suspend(() => remove(stream, name))
          )
    )

  const sentAs = (subject: string, id: string, first = 1): Effect.Effect<number | null, EventStoreError> =>
    Effect.flatMap(get({ seq: first, next_by_subj: subject }), (message) => {
      if (message === null) return Effect.succeed(null)
      if (StoredMessages.isSentAs(message, id)) return Effect.succeed(message.seq)
      return sentAs(subject, id, message.seq + 1)
    })

  return { put, find, remove, forget, sentAs: (subject, id) => sentAs(subject, id) } satisfies PayloadRecords
})
