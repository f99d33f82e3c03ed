/** Commands to a file. Time, ids and hashes are fields of the command. */
import type { DeletionReason, OutputStored, Stored, UploadInitiated } from "./Event.ts"

export type Command =
  /** Expects the bytes from a client. */
  | { readonly _tag: "InitiateUpload"; readonly upload: Omit<UploadInitiated, "_tag"> }
  /** All bytes have arrived. Repeating it with the same bytes changes nothing. */
  | {
      readonly _tag: "CompleteUpload"
      readonly at: number
      readonly stored: Stored
      readonly expiresAt: number
    }
  /** The bytes found in a store that clients upload to directly, where they may have been replaced. */
  | {
      readonly _tag: "ObserveUpload"
      readonly at: number
      readonly stored: Stored
      readonly expiresAt: number
    }
  /** Stores the output of a run. Repeating it replaces the stored output. */
  | { readonly _tag: "StoreOutput"; readonly output: Omit<OutputStored, "_tag"> }
  /** Deletes the file. A file that never existed is marked deleted too, so that a late attempt to store it fails. */
  | { readonly _tag: "Delete"; readonly at: number; readonly reason: DeletionReason }
  /** Expires the file if its time is over at `at`. */
  | { readonly _tag: "Expire"; readonly at: number }
  /** The store has no bytes of the file any more. */
  | { readonly _tag: "RecordRemoved"; readonly at: number }

/**  */
export type Rejection =
  | { readonly _tag: "FileNotFound" }
  /** The file was deleted or has expired. */
  | { readonly _tag: "FileGone" }
  /** The file has other bytes, or is expected from another source. */
  | { readonly _tag: "AlreadyUploaded" }
