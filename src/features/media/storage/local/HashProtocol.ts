/** The messages to and from a hashing thread. A job is one digest; its bytes are announced in order. */

export type Algorithm = "md5" | "sha256"

export type ToThread =
  | { readonly _tag: "Begin"; readonly job: number; readonly algorithm: Algorithm }
  /** Bytes of an open file. The thread does not close it. */
  | {
      readonly _tag: "Read"
      readonly job: number
      readonly descriptor: number
      readonly from: number
      readonly to: number
    }
  | { readonly _tag: "Update"; readonly job: number; readonly bytes: Uint8Array }
  /** Requests the digest, which ends the job. */
  | { readonly _tag: "Digest"; readonly job: number }
  /** Cancels the job. */
  | { readonly _tag: "Cancel"; readonly job: number }

export type FromThread =
  | { readonly _tag: "Hashed"; readonly job: number; readonly bytes: number }
  /** `hex` is `null` for a cancelled or failed job, of which nothing is read any more. */
  | { readonly _tag: "Ended"; readonly job: number; readonly hex: string | null }
