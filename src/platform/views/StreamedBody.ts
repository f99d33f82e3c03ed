/** An answer's body that is not in memory: texts, and payloads that are read while the client receives them. */
import { Effect, Stream } from "effect"
import { releaseConsumed } from "#src/platform/blobs/ReleaseConsumed.ts"
import type { Unreadable } from "#streams/Payload.ts"
import type { StoredText } from "#streams/PayloadText.ts"

export type Piece = string | StoredText<Unreadable>

export class StreamedBody {
  /** Bytes. */
  readonly length: number
  readonly #pieces: ReadonlyArray<Piece>

  constructor(pieces: ReadonlyArray<Piece>) {
    this.#pieces = pieces
    this.length = pieces.reduce((sum, piece) => sum + bytesOf(piece), 0)
  }

  /**
   * The bytes, for a consumer that asks for more only after a socket has taken everything before: older chunks are
   * released. A payload that cannot be read is logged and becomes a defect, since the head of the answer has been
   * sent: the connection breaks off.
   */
  get chunks(): Stream.Stream<Uint8Array> {
    return Stream.fromIterable(this.#pieces).pipe(
      Stream.flatMap((piece) =>
        typeof piece === "string" ? Stream.sync(() => Buffer.from(piece)) : releaseConsumed(piece.chunks)
      ),
      Stream.tapError((error) =>
        Effect.logError("An answer broke off because its payload cannot be read", error)
      ),
      Stream.orDie
    )
  }
}

const bytesOf = (piece: Piece): number => (typeof piece === "string" ? Buffer.byteLength(piece) : piece.size)
