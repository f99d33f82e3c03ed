/** A payload with its salt and hash, ready to be appended. */
export interface SealedPayload {
  /** Unique in its stream. The key in the event's `payloads` field. */
  readonly name: string
  /** base64url, 16 random bytes. */
  readonly salt: string
  readonly hash: string
  /** Bytes of the text. */
  readonly size: number
  readonly content: PayloadContent
}

type PayloadContent =
  | { readonly _tag: "Inline"; readonly text: string }
  | { readonly _tag: "Blob"; readonly key: string }
