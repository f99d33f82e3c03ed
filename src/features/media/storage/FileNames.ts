/** Names that clients gave their files. They are payloads, so that they can be erased. */
import { Effect, Schema } from "effect"
import type { OutputStored, UploadInitiated } from "#domain/file/Event.ts"
import * as File from "#domain/file/File.ts"
import type { State } from "#domain/file/State.ts"
import type { AccountId, FileId } from "#domain/Ids.ts"
import type { PayloadRef } from "#domain/PayloadRef.ts"
import type { Payloads } from "#streams/Payload.ts"
import * as StreamName from "#streams/StreamName.ts"

type Store = Payloads["Service"]

const streamOf = (id: FileId) => StreamName.make(File.aggregate.category, id)

const decode = Schema.decodeEffect(Schema.fromJsonString(Schema.String))

/** Seals a clean name for the append of its event. */
export const seal = (
  payloads: Store,
  {
    accountId,
    fileName,
    id
  }: { readonly id: FileId; readonly accountId: AccountId; readonly fileName: string }
) =>
  payloads.seal({
    owner: accountId,
    stream: streamOf(id),
    name: File.namePayload,
    text: JSON.stringify(fileName)
  })

/** Replaces a name that cannot be read. */
const placeholder = "file"

/** A name that was just erased, or is damaged, is no failure. */
export const open = (payloads: Store, id: FileId, ref: PayloadRef) =>
  payloads.open(streamOf(id), File.namePayload, ref).pipe(
    Effect.flatMap((text) => Effect.orDie(decode(text))),
    Effect.catchTag("PayloadUnavailable", () => Effect.succeed(placeholder))
  )

/** Call it when the name is erased; until then `open` may return it. */
export const forget = (payloads: Store, id: FileId, state: State) => {
  const origin = originOf(state)
  return origin?._tag === "UploadInitiated"
    ? payloads.removeErased({
        owner: origin.accountId,
        stream: streamOf(id),
        name: File.namePayload,
        ref: origin.payloads.name
      })
    : Effect.void
}

const originOf = (state: State): UploadInitiated | OutputStored | null => {
  if (state._tag === "Pending") return state.upload
  return state._tag === "Present" ? state.origin : null
}

/** For any owner. */
export const of = (payloads: Store, id: FileId, origin: UploadInitiated | OutputStored) =>
  origin._tag === "OutputStored" ? Effect.succeed(origin.fileName) : open(payloads, id, origin.payloads.name)
