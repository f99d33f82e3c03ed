/**
 * Payload records: inputs, outputs and other data beside events (domain/PayloadRef). Sealing salts and hashes the text, so that the hash of an erased payload reveals nothing. A text above `inlineLimit` is first written to the blob
 * store.
 */
import * as crypto from "node:crypto"
import { Context, Effect, Layer, Schema, Stream } from "effect"
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

/** Characters of payloads cached in memory: some thousand small ones. */
const recentCharacters = 4 * 1024 * 1024

export const hash = (salt: string, text: string): string =>
  crypto.hash("sha256", `${salt}\n${text}`, "base64url")

/** Bytes hashed without yielding. */
const hashChunkBytes = 512 * 1024

/** Like `hash`, for the bytes of a large text. */
const hashOf = Effect.fnUntraced(function* (salt: string, bytes: Buffer) {
  const digest = crypto.createHash("sha256").update(`${salt}\n`)
  for (let from = 0; from < bytes.length; from += hashChunkBytes) {
    if (from > 0) yield* Effect.yieldNow
    digest.update(bytes.subarray(from, from + hashChunkBytes))
  }
  return digest.digest("base64url")
})

export const refOf = (payload: SealedPayload): PayloadRef => ({ hash: payload.hash, size: payload.size })

/** What events contain about a payload whose record is erased. */
export interface ErasedPayload {
  /** The account that owns the payload. */
  readonly owner: string
  readonly stream: StreamName
  readonly name: string
  readonly ref: PayloadRef
}

const blobKey = ({ owner, stream, name, ref }: ErasedPayload): string =>
  `payloads/${owner}/${stream}/${name}-${ref.hash}`

/** `erased`: the record is gone. `lost`: the record exists but its blob does not. `damaged`: the content was changed. */
export class PayloadUnavailable extends Schema.TaggedError<PayloadUnavailable>()("PayloadUnavailable", {
  reason: Schema.Literals(["erased", "lost", "damaged"])
}) {}

/**  */
export type Unreadable = PayloadUnavailable | EventStoreError | BlobStoreError

export class Payloads extends Context.Service<
  Payloads,
  {
    /**
     * Prepares a JSON text for `EventStore.append`. A large payload is durable in the blob store when this returns; a small one
     * is sealed at once, and the result is an `Exit`. `owner` (an account) and stream are part of the blob's key: accounts never
     * share blobs.
     */
    seal(options: {
      readonly owner: string
      readonly stream: StreamName
      readonly name: string
      readonly text: string
    }): Effect.Effect<SealedPayload, BlobStoreError>
    /** Removes sealed payloads that no event names, so that no personal data exists outside the log's knowledge. */
    discard(payloads: ReadonlyArray<SealedPayload>): Effect.Effect<void>
    /**
     * Removes the rest of an erased payload: its text in memory, and its blob if it has one. Every process that opens
     * payloads must call it after the commit of the erasure, for each erased payload, and again after a crash; repeating it
     * is harmless. Until then, `open` may return the text.
     */
    removeErased(payload: ErasedPayload): Effect.Effect<void, BlobStoreError>
    /** The text of a payload, checked against the hash in the event. An `Exit` if it is in memory. */
    open(stream: StreamName, name: string, ref: PayloadRef): Effect.Effect<string, Unreadable>
    /**
     * Reads payloads of this name at once, if the log can, and keeps the texts in memory for an `open` that follows. What is
     * stored as a blob, or damaged, is left to `open`.
     */
    readAhead(name: string, refs: ReadonlyMap<StreamName, PayloadRef>): Effect.Effect<void, EventStoreError>
    /** Like `open`, for callers that pass the text on. A large text is read and checked while it is consumed. */
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
        { owner, stream, name, text }: Parameters<Payloads["Service"]["seal"]>[0],
        salt: string
      ) {
        const bytes = Buffer.from(text)
        // Yields between two steps that take some ms each.
        if (bytes.length > hashChunkBytes) yield* Effect.yieldNow
        const sealed = { name, salt, size: bytes.length, hash: yield* hashOf(salt, bytes) }
        const key = blobKey({ owner, stream, name, ref: sealed })
        yield* blobs.put(key, bytes)
        return { ...sealed, content: { _tag: "Blob", key } } satisfies SealedPayload
      })

      const newSalt = () => randomSalt().toString("base64url")

      const seal: Payloads["Service"]["seal"] = (options) => {
        const { name, text } = options
        const size = Buffer.byteLength(text)
        if (size > inlineLimit) return Effect.suspend(() => sealBlob(options, newSalt()))
        const salt = newSalt()
        const sealed = hash(salt, text)
        recent.put(sealed, text)
        return Effect.succeed({ name, salt, size, hash: sealed, content: { _tag: "Inline", text } })
      }

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

      /** An erasure removes the record first, so a blob missing beside its record is lost. */
      const withoutBlob = (stream: StreamName, name: string, ref: PayloadRef) =>
        Effect.flatMap(store.payload(stream, name, ref.hash), (record) =>
          record === null ? isErased : lost(stream, name)
        )

      const readChecked = Effect.fnUntraced(function* (stream: StreamName, name: string, ref: PayloadRef) {
        const cache = recent.beginRead()
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
        cache(ref.hash, content.text)
        return content.text
      })

      const readAhead: Payloads["Service"]["readAhead"] = (name, refs) =>
        Effect.suspend(() => {
          const unknown = [...refs].filter(([, { hash }]) => recent.get(hash) === undefined)
          if (store.many === undefined || unknown.length === 0) return Effect.void
          const cache = recent.beginRead()
          const streams = unknown.map(([stream]) => stream)
          return Effect.map(store.many.payloads(streams, name), (found) => {
            for (const { payload, stream } of found) {
              const ref = refs.get(stream)
              if (ref !== undefined && isIntact(payload, ref)) cache(ref.hash, payload.content.text)
            }
          })
        })

      // The hash is salted, so knowing it from an event implies the right to read the payload.
      const open: Payloads["Service"]["open"] = (stream, name, ref) => {
        const text = recent.get(ref.hash)
        return text === undefined ? readChecked(stream, name, ref) : Effect.succeed(text)
      }

      const openInline = (stream: StreamName, name: string, ref: PayloadRef) =>
        Effect.mapEager(open(stream, name, ref), (text) => new PayloadText.InlineText(text))

      const stored = (
        key: string,
        missing: Effect.Effect<never, Unreadable>
      ): Stream.Stream<Uint8Array, Unreadable> =>
        Stream.unwrap(
          Effect.flatMap(blobs.get(key), (blob) => (blob === null ? missing : Effect.succeed(blob.body)))
        )

      const openText: Payloads["Service"]["openText"] = (stream, name, ref) =>
        ref.size <= inlineLimit ? openInline(stream, name, ref) : openLarge(stream, name, ref)

      const openLarge = Effect.fnUntraced(function* (stream: StreamName, name: string, ref: PayloadRef) {
        const payload = yield* store.payload(stream, name, ref.hash)
        if (payload === null) return yield* isErased
        const { content, hash, salt } = payload
        if (content._tag === "Inline") return yield* openInline(stream, name, ref)
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

      return Payloads.of({ seal, open, openText, readAhead, discard, removeErased })
    })
  )
}

type Inline = SealedPayload & { readonly content: { readonly _tag: "Inline" } }

const isIntact = (payload: SealedPayload, ref: PayloadRef): payload is Inline =>
  payload.content._tag === "Inline" &&
  payload.hash === ref.hash &&
  payload.size === ref.size &&
  hash(payload.salt, payload.content.text) === ref.hash
