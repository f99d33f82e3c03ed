/** The JSON text of a payload: in memory, or still in the blob store. */
import * as crypto from "node:crypto"
import { Effect, Stream } from "effect"
import type { PayloadRef } from "#domain/PayloadRef.ts"

/** A small text, in memory. */
export class InlineText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/**
 * A large text that is read from the store while it is consumed. `chunks` fails before the last bytes if the text does not
 * match the event's hash, so a consumer that receives all of it has the right text.
 */
export class StoredText<E> {
  /** Bytes. */
  readonly size: number
  readonly chunks: Stream.Stream<Uint8Array, E>

  constructor(size: number, chunks: Stream.Stream<Uint8Array, E>) {
    this.size = size
    this.chunks = chunks
  }
}

export type PayloadText<E> = InlineText | StoredText<E>

/**
 * Passes the bytes on one chunk late: the last chunk follows after the salted hash has been checked.
 *
 * @param damaged run when the text does not match `ref`.
 */
export const checked = <E, Damaged>(
  body: Stream.Stream<Uint8Array, E>,
  { ref, salt }: { readonly ref: PayloadRef; readonly salt: string },
  damaged: Effect.Effect<never, Damaged>
): Stream.Stream<Uint8Array, E | Damaged> =>
  Stream.suspend(() => {
    const digest = crypto.createHash("sha256").update(`${salt}\n`)
    let last: ReadonlyArray<Uint8Array> = []
    const allButLast = Stream.flatMap(Stream.rechunk(body, 1), (chunk) => {
      const before = last
      digest.update(chunk)
      last = [chunk]
      return Stream.fromIterable(before)
    })
    const rest = Stream.suspend(() =>
      digest.digest("base64url") === ref.hash ? Stream.fromIterable(last) : Stream.fromEffect(damaged)
    )
    return Stream.concat(allButLast, rest)
  })

/** The whole text in memory. */
export const whole = <E>(text: PayloadText<E>): Effect.Effect<string, E> =>
  text instanceof InlineText ? Effect.succeed(text.text) : Stream.mkString(Stream.decodeText(text.chunks))
