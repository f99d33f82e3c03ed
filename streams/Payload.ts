/**
 * Payload records: what requests and runs carry (domain/PayloadRef). Sealing salts and hashes the canonical text, so that
 * an event's hash of an erased payload tells nothing about it; past `inlineLimit` the text goes to the blob store first.
 */
import * as crypto from "node:crypto"
import { Context, Effect, Layer, Schema, Stream } from "effect"
import * as CanonicalJson from "#domain/CanonicalJson.ts"
import { inlineLimit, type PayloadRef } from "#domain/PayloadRef.ts"
import { BlobStore, type BlobStoreError } from "./BlobStore.ts"
import { EventReader, type EventStoreError } from "./EventReader.ts"
import { PayloadDamage } from "./PayloadDamage.ts"
import * as PayloadText from "./PayloadText.ts"
import * as RandomPool from "./RandomPool.ts"
import * as RecentTexts from "./RecentTexts.ts"
import type { SealedPayload } from "./SealedPayload.ts"
import type { StreamName } from "./StreamName.ts"

const saltBytes = 16

/** Of payloads that are kept in memory as well: some thousand small ones. */
const recentCharacters = 4 * 1024 * 1024

export const hash = (salt: string, text: string): string =>
  crypto.hash("sha256", `${salt}\n${text}`, "base64url")

/** Hashed in one go, bytes: what is larger lets others in between. */
const hashedAtOnce = 512 * 1024

/** The same of the bytes of a large text. */
const hashOf = Effect.fnUntraced(function* (salt: string, bytes: Buffer) {
  const digest = crypto.createHash("sha256").update(`${salt}\n`)
  for (let from = 0; from < bytes.length; from += hashedAtOnce) {
    if (from > 0) yield* Effect.yieldNow
    digest.update(bytes.subarray(from, from + hashedAtOnce))
  }
  return digest.digest("base64url")
})

export const refOf = (payload: SealedPayload): PayloadRef => ({ hash: payload.hash, size: payload.size })

/** What the events know of a payload whose record is gone. */
export interface ErasedPayload {
  /** The account that it was sealed for. */
  readonly owner: string
  readonly stream: StreamName
  readonly name: string
  readonly ref: PayloadRef
}

const blobKey = ({ owner, stream, name, ref }: ErasedPayload): string =>
  `payloads/${owner}/${stream}/${name}-${ref.hash}`

/** `erased`: its record is gone, as after an erasing. `lost`: the record is there, and its blob is not. `damaged`: it was altered. */
export class PayloadUnavailable extends Schema.TaggedError<PayloadUnavailable>()("PayloadUnavailable", {
  reason: Schema.Literals(["erased", "lost", "damaged"])
}) {}

/** Why a payload cannot be read. */
export type Unreadable = PayloadUnavailable | EventStoreError | BlobStoreError

export class Payloads extends Context.Service<
  Payloads,
  {
    /**
     * Prepares `json` for `EventStore.append`. A large one is in the blob store, durably, when this returns.
     * `owner` (an account) and stream become part of the blob's key: blobs are never shared between accounts.
     */
    seal(options: {
      readonly owner: string
      readonly stream: StreamName
      readonly name: string
      readonly json: CanonicalJson.Json
    }): Effect.Effect<SealedPayload, BlobStoreError>
    /** `seal` for a value whose canonical text is at hand. */
    sealText(options: {
      readonly owner: string
      readonly stream: StreamName
      readonly name: string
      readonly text: string
    }): Effect.Effect<SealedPayload, BlobStoreError>
    /** Takes back sealed payloads that no event names after all: nothing personal is to lie around unknown to the log. */
    discard(payloads: ReadonlyArray<SealedPayload>): Effect.Effect<void>
    /**
     * What is left of an erased payload when the commit that erased its record is on the log: its text in memory, and its
     * blob when it has one. To be called after that commit, for each payload it erased, by every process that opens
     * payloads; again after a crash, since nothing happens when nothing is left. Until then `open` may give the text.
     */
    removeErased(payload: ErasedPayload): Effect.Effect<void, BlobStoreError>
    /** The canonical text of a payload, checked against the hash that the event carries. */
    open(stream: StreamName, name: string, ref: PayloadRef): Effect.Effect<string, Unreadable>
    /** The same text for a reader that passes it on: a large one is read, and checked, as it is consumed. */
    openText(
      stream: StreamName,
      name: string,
      ref: PayloadRef
    ): Effect.Effect<PayloadText.PayloadText<Unreadable>, Unreadable>
  }
>()("inferlog/streams/Payloads") {
  static readonly layer = Layer.effect(
    Payloads,
    Effect.gen(function* () {
      const store = yield* EventReader
      const blobs = yield* BlobStore
      const randomSalt = RandomPool.make(saltBytes)
      const recent = RecentTexts.make(recentCharacters)

      const sealBlob = Effect.fnUntraced(function* (
        { owner, stream, name, text }: Parameters<Payloads["Service"]["sealText"]>[0],
        salt: string
      ) {
        const bytes = Buffer.from(text)
        // Between two steps that each take some ms others have their turn.
        if (bytes.length > hashedAtOnce) yield* Effect.yieldNow
        const sealed = { name, salt, size: bytes.length, hash: yield* hashOf(salt, bytes) }
        const key = blobKey({ owner, stream, name, ref: sealed })
        yield* blobs.put(key, bytes)
        return { ...sealed, content: { _tag: "Blob", key } } satisfies SealedPayload
      })

      const sealNow: Payloads["Service"]["sealText"] = (options) => {
        const { name, text } = options
        const size = Buffer.byteLength(text)
        const salt = randomSalt().toString("base64url")
        if (size > inlineLimit) return sealBlob(options, salt)
        const sealed = { name, salt, size, hash: hash(salt, text) }
        recent.put(sealed.hash, text)
        return Effect.succeed({ ...sealed, content: { _tag: "Inline", text } })
      }

      const sealText: Payloads["Service"]["sealText"] = (options) => Effect.suspend(() => sealNow(options))

      const seal: Payloads["Service"]["seal"] = ({ json, ...options }) =>
        Effect.suspend(() => sealNow({ ...options, text: CanonicalJson.stringify(json) }))

      const observe = yield* PayloadDamage
      const isErased = new PayloadUnavailable({ reason: "erased" })

      const broken =
        (reason: "lost" | "damaged") =>
        (stream: StreamName, name: string): Effect.Effect<never, PayloadUnavailable> =>
          Effect.suspend(() => {
            observe()
            return Effect.andThen(
              Effect.annotateLogs(Effect.logError(`A stored payload is ${reason}`), { stream, name }),
              new PayloadUnavailable({ reason })
            )
          })
      const damaged = broken("damaged")
      const lost = broken("lost")

      /** An erasing removes the record first: a blob that is gone beside its record is lost. */
      const withoutBlob = (stream: StreamName, name: string, ref: PayloadRef) =>
        Effect.flatMap(store.payload(stream, name, ref.hash), (record) =>
          record === null ? isErased : lost(stream, name)
        )

      const readChecked = Effect.fnUntraced(function* (stream: StreamName, name: string, ref: PayloadRef) {
        const keep = recent.beginRead()
        const payload = yield* store.payload(stream, name, ref.hash)
        if (payload === null) return yield* isErased
        const blob = payload.content._tag === "Inline" ? null : yield* blobs.get(payload.content.key)
        if (payload.content._tag === "Blob" && blob === null) return yield* withoutBlob(stream, name, ref)
        const isDamaged = damaged(stream, name)
        const { content, salt } = payload
        if (payload.hash !== ref.hash || payload.size !== ref.size) return yield* isDamaged
        if (content._tag === "Blob") {
          const bytes = PayloadText.checked(blob?.body ?? Stream.empty, { ref, salt }, isDamaged)
          return yield* Stream.mkString(Stream.decodeText(bytes))
        }
        if (hash(salt, content.text) !== ref.hash) return yield* isDamaged
        keep(ref.hash, content.text)
        return content.text
      })

      // The hash is salted: whoever has an event that carries it may read what it is of.
      const open: Payloads["Service"]["open"] = (stream, name, ref) =>
        Effect.suspend(() => {
          const text = recent.get(ref.hash)
          return text === undefined ? readChecked(stream, name, ref) : Effect.succeed(text)
        })

      const stored = (
        key: string,
        missing: Effect.Effect<never, Unreadable>
      ): Stream.Stream<Uint8Array, Unreadable> =>
        Stream.unwrap(
          Effect.flatMap(blobs.get(key), (blob) => (blob === null ? missing : Effect.succeed(blob.body)))
        )

      const openText: Payloads["Service"]["openText"] = Effect.fnUntraced(function* (stream, name, ref) {
        if (ref.size <= inlineLimit) return new PayloadText.InlineText(yield* open(stream, name, ref))
        const payload = yield* store.payload(stream, name, ref.hash)
        if (payload === null) return yield* isErased
        const { content, hash, salt } = payload
        if (content._tag === "Inline") return new PayloadText.InlineText(yield* open(stream, name, ref))
        const size = yield* blobs.size(content.key)
        const missing = withoutBlob(stream, name, ref)
        if (size === null) return yield* missing
        const isDamaged = damaged(stream, name)
        if (hash !== ref.hash || size !== ref.size) return yield* isDamaged
        return new PayloadText.StoredText(
          size,
          PayloadText.checked(stored(content.key, missing), { ref, salt }, isDamaged)
        )
      })

      const discard: Payloads["Service"]["discard"] = Effect.forEach(
        ({ content, hash }) =>
          content._tag === "Inline"
            ? Effect.sync(() => recent.forget(hash))
            : Effect.catch(blobs.remove(content.key), (error) =>
                Effect.logWarning("A blob that no event names is left behind", error)
              ),
        { discard: true }
      )

      const removeErased: Payloads["Service"]["removeErased"] = (payload) =>
        Effect.suspend(() => {
          recent.forget(payload.ref.hash)
          return payload.ref.size > inlineLimit ? blobs.remove(blobKey(payload)) : Effect.void
        })

      return Payloads.of({ seal, sealText, open, openText, discard, removeErased })
    })
  )
}
