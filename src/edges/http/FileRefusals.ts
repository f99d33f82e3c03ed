/** Why what is put to a URL, or asked of one, is refused (decisions, "Upload errors"). */
import { Refusal } from "./Refusal.ts"

export const wrongSize = new Refusal({
  status: 400,
  error: "The body has fewer bytes than were declared for the file.",
  details: { code: "SIZE_MISMATCH" }
})

export const digestMismatch = new Refusal({
  status: 400,
  error: "The body does not match its Content-MD5.",
  details: { code: "DIGEST_MISMATCH" }
})

export const urlExpired = new Refusal({
  status: 403,
  error: "The URL has expired: ask for another one.",
  details: { code: "URL_EXPIRED" }
})

export const signatureMismatch = new Refusal({
  status: 403,
  error: "The URL is not as it was given out.",
  details: { code: "SIGNATURE_MISMATCH" }
})

export const urlNotSigned = new Refusal({
  status: 403,
  error: "Nothing can be put to this URL: ask for one to upload to.",
  details: { code: "URL_NOT_SIGNED" }
})

export const contentTypeMismatch = new Refusal({
  status: 403,
  error: "The Content-Type is not the one that was declared for the file.",
  details: { code: "CONTENT_TYPE_MISMATCH" }
})

/** @param fileUrl of the file, where the client may be told. */
export const uploadCompleted = (fileUrl?: string): Refusal =>
  new Refusal({
    status: 409,
    error: "All bytes of the file have come before.",
    details: { code: "UPLOAD_COMPLETED", ...(fileUrl !== undefined && { fileUrl }) }
  })

export const fileGone = new Refusal({
  status: 410,
  error: "The file was removed.",
  details: { code: "FILE_GONE" }
})

export const lengthRequired = new Refusal({
  status: 411,
  error: "Content-Length, also of no bytes, or Transfer-Encoding is required.",
  details: { code: "LENGTH_REQUIRED" }
})

/** `If-Match` names other bytes (RFC 9110, 13.1.1). */
export const preconditionFailed = new Refusal({
  status: 412,
  error: "The bytes of the file are not those that If-Match names."
})

/** In bytes. */
export const fileTooLarge = (limit: number): Refusal =>
  new Refusal({
    status: 413,
    error: `The file must not exceed ${limit} bytes.`,
    details: { code: "FILE_TOO_LARGE", limit }
  })

/** Both in bytes. */
export const quotaExceeded = ({ limit, used }: { readonly limit: number; readonly used: number }): Refusal =>
  new Refusal({
    status: 413,
    error: "The account's files would take up more than they may.",
    details: { code: "QUOTA_EXCEEDED", limit, used }
  })

/** @param size of the file, in bytes. */
export const rangeNotSatisfiable = (size: number): Refusal =>
  new Refusal({
    status: 416,
    error: "No byte of the range exists.",
    headers: { "content-range": `bytes */${size}` }
  })

export const tooManyUploads = (retryAfterSeconds: number): Refusal =>
  new Refusal({
    status: 503,
    error: "Too many uploads are under way.",
    headers: { "retry-after": String(retryAfterSeconds) }
  })

export const storageFull = new Refusal({
  status: 507,
  error: "The service has no room left for the bytes.",
  details: { code: "STORAGE_FULL" }
})
