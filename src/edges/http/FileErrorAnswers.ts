/** Error answers for uploads and downloads (decisions, "Upload errors"). */
import { busy, coded, ErrorAnswer } from "./ErrorAnswer.ts"

export const wrongSize = coded(
  400,
  "SIZE_MISMATCH",
  "The body has fewer bytes than were declared for the file."
)

export const digestMismatch = coded(400, "DIGEST_MISMATCH", "The body does not match its Content-MD5.")

export const urlExpired = coded(403, "URL_EXPIRED", "The URL has expired: request another one.")

export const signatureMismatch = coded(403, "SIGNATURE_MISMATCH", "The URL was changed after it was issued.")

export const urlNotSigned = coded(
  403,
  "URL_NOT_SIGNED",
  "This URL does not accept uploads: request an upload URL."
)

/** Both without parameters. */
interface Types {
  readonly declared: string
  readonly sent: string
}

export const contentTypeMismatch = ({ declared, sent }: Types): ErrorAnswer =>
  coded(
    403,
    "CONTENT_TYPE_MISMATCH",
    `The Content-Type is ${sent}, but ${declared} was declared for the file. Send the declared one, or none.`
  )

/** Bytes that a client sent to S3, which does not compare the types, do not count. */
export const arrivedAsOther = ({ declared, sent }: Types): ErrorAnswer =>
  coded(
    404,
    "CONTENT_TYPE_MISMATCH",
    `The bytes came with the Content-Type ${sent}, but ${declared} was declared for the file. Send them again with the declared one, or none.`
  )

/** @param fileUrl only for the owner of the upload. */
export const uploadCompleted = (fileUrl?: string): ErrorAnswer =>
  coded(409, "UPLOAD_COMPLETED", "All bytes of the file have arrived already.", {
    ...(fileUrl !== undefined && { fileUrl })
  })

export const fileGone = coded(410, "FILE_GONE", "The file was removed.")

export const lengthRequired = coded(
  411,
  "LENGTH_REQUIRED",
  "Content-Length, also of no bytes, or Transfer-Encoding is required."
)

/** `If-Match` names other bytes (RFC 9110, 13.1.1). */
export const preconditionFailed = new ErrorAnswer({
  status: 412,
  error: "The bytes of the file are not those that If-Match names."
})

/** In bytes. */
export const fileTooLarge = (limit: number): ErrorAnswer =>
  coded(413, "FILE_TOO_LARGE", `The file must not exceed ${limit} bytes.`, { limit })

/** Both in bytes. */
export const quotaExceeded = ({
  limit,
  used
}: {
  readonly limit: number
  readonly used: number
}): ErrorAnswer =>
  coded(413, "QUOTA_EXCEEDED", "The account's files would exceed their quota.", { limit, used })

/** @param size of the file, in bytes. */
export const rangeNotSatisfiable = (size: number): ErrorAnswer =>
  new ErrorAnswer({
    status: 416,
    error: "No byte of the range exists.",
    headers: { "content-range": `bytes */${size}` }
  })

export const tooManyUploads = (retryAfterSeconds: number): ErrorAnswer =>
  busy("Too many uploads are in progress.", retryAfterSeconds)

export const storageFull = coded(507, "STORAGE_FULL", "The service has no room left for the bytes.")
