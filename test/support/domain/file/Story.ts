/** The vocabulary of a file's scenarios. Times are small numbers of ms, for readability. */
import type { Command } from "#domain/file/Command.ts"
import type {
  DeletionReason,
  Event,
  OutputStored,
  Stored,
  UploadInitiated,
  UploadMethod
} from "#domain/file/Event.ts"
import { AccountId, KeyId, RequestId } from "#domain/Ids.ts"

/** Stored bytes as a store reports them, by their name in a scenario. */
export const bytes = {
  first: { size: 12, etag: "etag-1", sha256: "sha-1" },
  others: { size: 12, etag: "etag-2", sha256: "sha-2" },
  longer: { size: 13, etag: "etag-1", sha256: "sha-3" },
  unread: { size: 12, etag: "etag-1", sha256: null },
  inParts: { size: 40, etag: "etag-4-2", sha256: null, isInParts: true }
} as const satisfies Record<string, Stored>

export const accountId = AccountId.make("acc_0123456789abcdef")
export const uploadId = "upload-1"
const multipart: UploadMethod = { _tag: "Multipart", uploadId }

export const upload: Omit<UploadInitiated, "_tag"> = {
  at: 1_000,
  accountId,
  keyId: KeyId.make("key_0123456789abcdef"),
  contentType: "image/png",
  size: 12,
  method: { _tag: "Single" },
  expiresAt: 5_000,
  payloads: { name: { hash: "name-hash", size: 9 } }
}

export const uploadInParts = { ...upload, method: multipart }

export const output: Omit<OutputStored, "_tag"> = {
  at: 1_000,
  accountId,
  requestId: RequestId.make("rq0000000000000000001"),
  kind: "output",
  fileName: "image-1.png",
  contentType: "image/png",
  stored: bytes.first,
  expiresAt: 9_000
}

export const thumbnail: Omit<OutputStored, "_tag"> = {
  ...output,
  kind: "thumbnail",
  fileName: "image-1.webp"
}

/** When the existing file expires, in the scenarios. */
export const expiresAt = 9_000

export const initiate = (what = upload): Command => ({ _tag: "InitiateUpload", upload: what })
export const initiated = (what = upload): Event => ({ _tag: "UploadInitiated", ...what })

export const complete = (at: number, stored: Stored = bytes.first): Command => ({
  _tag: "CompleteUpload",
  at,
  stored,
  expiresAt
})
export const completed = (at: number, stored: Stored = bytes.first): Event => ({
  _tag: "UploadCompleted",
  at,
  stored,
  expiresAt
})

export const observe = (at: number, stored: Stored = bytes.first): Command => ({
  _tag: "ObserveUpload",
  at,
  stored,
  expiresAt
})
export const replaced = (at: number, stored: Stored): Event => ({ _tag: "UploadReplaced", at, stored })

export const store = (what = output): Command => ({ _tag: "StoreOutput", output: what })
export const outputStored = (what = output): Event => ({ _tag: "OutputStored", ...what })

export const remove = (at: number, reason: typeof DeletionReason.Type = "requested"): Command => ({
  _tag: "Delete",
  at,
  reason
})
export const deleted = (at: number, reason: typeof DeletionReason.Type = "requested"): Event => ({
  _tag: "FileDeleted",
  at,
  reason
})

export const expire = (at: number): Command => ({ _tag: "Expire", at })
export const expired = (at: number): Event => ({ _tag: "FileExpired", at })
export const nameErased = (at: number): Event => ({ _tag: "PayloadsErased", at, erased: ["name"] })

export const recordRemoved = (at: number): Command => ({ _tag: "RecordRemoved", at })
export const bytesRemoved = (at: number): Event => ({ _tag: "BytesRemoved", at })
