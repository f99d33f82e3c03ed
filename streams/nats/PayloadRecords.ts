/**
 * Payload records at the servers, in a stream beside the log: one message each, whose subject names stream, name and hash.
 * Writers of an append that loses a race take back only what is theirs.
 */
import { type MsgRequest, type StoredMsg } from "@nats-io/jetstream"
import { headers } from "@nats-io/transport-node"
import { Effect } from "effect"
import type { EventStoreError } from "../EventReader.ts"
import type { SealedPayload } from "../Payload.ts"
import type { StreamName } from "../StreamName.ts"
import { Nats } from "./Nats.ts"
import * as NatsFailure from "./NatsFailure.ts"
import { names } from "./NatsOptions.ts"
import * as Subjects from "./Subjects.ts"

/** What a record's message says beside the text. Storage format. */
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
  /** Overwrites all records of the name; with `hash`, that one only. Nothing happens when there is none. */
  readonly remove: (stream: StreamName, name: string, hash?: string) => Effect.Effect<void, EventStoreError>
}

const decode = (subject: string, message: StoredMsg): SealedPayload => {
  const [hash = "", name = ""] = subject.split(".").toReversed().map(Subjects.unescape)
  const key = message.header.get(blobHeader)
  return {
    name,
    salt: message.header.get(saltHeader),
    hash,
    size: Number(message.header.get(sizeHeader)),
    content:
      key === "" ? { _tag: "Inline", text: Buffer.from(message.data).toString() } : { _tag: "Blob", key }
  }
}

export const make = Effect.gen(function* () {
  const nats = yield* Nats
  const { js, jsm, options } = nats
  const { stream: store } = names(options).payloads
  const subjects = Subjects.make(options)
  const unavailable = "A payload record cannot be read or written"

  const call = <A>(ask: () => Promise<A>) => NatsFailure.attempt(nats, unavailable, ask)

  const get = (query: MsgRequest) => call(() => jsm.streams.getMessage(store, query))

  const put: PayloadRecords["put"] = (stream, { content, hash, name, salt, size }) => {
    const about = headers()
    about.set(saltHeader, salt)
    about.set(sizeHeader, String(size))
    if (content._tag === "Blob") about.set(blobHeader, content.key)
    const text = content._tag === "Inline" ? content.text : ""
    const publish = () => js.publish(subjects.payload(stream, name, hash), text, { headers: about })
    return Effect.asVoid(call(publish))
  }

  const find: PayloadRecords["find"] = (stream, name, hash) =>
    Effect.map(get({ last_by_subj: subjects.payload(stream, name, hash) }), (message) =>
      message === null ? null : decode(message.subject, message)
    )

  const remove: PayloadRecords["remove"] = (stream, name, hash) =>
    Effect.flatMap(get({ last_by_subj: subjects.payload(stream, name, hash) }), (message) =>
      message === null
        ? Effect.void
        : Effect.andThen(
            call(() => jsm.streams.deleteMessage(store, message.seq)),
            Effect.suspend(() => remove(stream, name, hash))
          )
    )

  return { put, find, remove } satisfies PayloadRecords
})
