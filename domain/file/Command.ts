/** What can be asked of a file. Time, ids and hashes come in with the command. */
import type { DeletionReason, OutputStored, Stored, UploadInitiated } from "./Event.ts"

export type Command =
  /** Expect the bytes from a client. */
  | { readonly _tag: "InitiateUpload"; readonly upload: Omit<UploadInitiated, "_tag"> }
  /** All bytes are there. Repeated with the same bytes it changes nothing. */
  | {
      readonly _tag: "CompleteUpload"
      readonly at: number
      readonly stored: Stored
      readonly expiresAt: number
    }
  /** The bytes that lie at a store to which clients bring them without us; they may have been replaced there. */
  | {
      readonly _tag: "ObserveUpload"
      readonly at: number
      readonly stored: Stored
      readonly expiresAt: number
    }
  /** Keep what a run made. Repeated it replaces what was kept. */
  | { readonly _tag: "StoreOutput"; readonly output: Omit<OutputStored, "_tag"> }
  /** Delete it. Of a file that was never there it leaves the same mark: who still wants to store it comes too late. */
  | { readonly _tag: "Delete"; readonly at: number; readonly reason: DeletionReason }
  /** Its time is over, if it is by then. */
  | { readonly _tag: "Expire"; readonly at: number }
  /** No byte is left in the store. */
  | { readonly _tag: "RecordRemoved"; readonly at: number }

/** Why a command was refused. */
export type Rejection =
  | { readonly _tag: "FileNotFound" }
  /** It was deleted, or has expired. */
  | { readonly _tag: "FileGone" }
  /** Other bytes have come before, or are to come from somebody else. */
  | { readonly _tag: "AlreadyUploaded" }
