/** What is said to a hashing thread, and what it says. A job is one digest; its bytes are told in order. */

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
  /** The digest is wanted: the job is over. */
  | { readonly _tag: "Digest"; readonly job: number }
  /** Nobody wants it any more. */
  | { readonly _tag: "Cancel"; readonly job: number }

export type FromThread =
  | { readonly _tag: "Hashed"; readonly job: number; readonly bytes: number }
  /** `hex` is `null` for one that was cancelled, or that failed. Nothing of it is read any more. */
  | { readonly _tag: "Ended"; readonly job: number; readonly hex: string | null }
