/** Messages for a language model about refused files, and what to do next. They repeat no URL, address or data. */
import type { SqlError } from "effect/sql/SqlError"
import type { FileGone, QuotaExceeded } from "#src/features/media/storage/FileErrors.ts"
import type { TooManyUploads } from "#src/features/media/storage/Reception.ts"
import type { OutboundError, OutboundRefused, OutboundTooLarge } from "#src/kernel/outbound/OutboundError.ts"
import type { BlobStoreError } from "#streams/BlobStore.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import type { ToolError } from "../../ToolError.ts"
import { toolError, toErrorAnswer, tryAgain } from "../ServiceToolErrors.ts"

export const notOneSource = toolError(
  "Give exactly one of `url`, where the file can be downloaded from, and `data`, its bytes in base64."
)

export const notBase64 = toolError(
  "data: is not base64. Give the bytes of the file in standard or URL-safe base64, or a `data:` URL that ends its head with `;base64,`. A file that has a URL is better given by `url`."
)

export const emptyData = toolError(
  "data: is empty. Give the bytes of the file in base64, or the URL that it can be downloaded from as `url` without `data`."
)

export const noMediaType = toolError("contentType: must be a media type such as image/png, or left out.")

const elsewhere =
  "Tell the user to upload it with the command line or over REST (a presigned upload), which take larger files, and to give you its URL: that can be used as a model input at once."

export const tooLarge = toolError(
  `The file is larger than 200 MiB, the most that this tool takes. ${elsewhere}`
)

export const foreignFile = toolError(
  "url: is already the URL of a file of this service, of another account. Nothing was uploaded: use the URL as it is."
)

export const noOwnFile = toolError(
  "url: is a URL of this service at which there is no file: it has not been uploaded, was deleted or has expired. Give another URL, or the bytes in `data`."
)

export const tooManyDownloads = toolError(`Too many files are being downloaded at the moment. ${tryAgain(5)}`)

const tooManyUploads = ({ retryAfterSeconds }: TooManyUploads) =>
  toolError(`Too many files are being stored at the moment. ${tryAgain(retryAfterSeconds)}`)

const accountGone = toolError("The account was removed. Calling again will not help: tell the user.")

const quotaExceeded = ({ limit, used }: QuotaExceeded) =>
  toolError(
    `The account's files would exceed their quota: ${used} of ${limit} bytes are used. Nothing was uploaded. Calling again will not help: ask the user to delete files or to have the quota raised.`
  )

const refusedUrls: Readonly<Record<OutboundRefused["reason"], string>> = {
  too_long: "must have at most 2048 characters",
  malformed: "is no valid URL",
  not_https: "must begin with https://",
  credentials: "must have no user name or password in it",
  forbidden_port: "names a port that may not be called",
  forbidden_host: "names a host that may not be called",
  private_address: "leads to an address that may not be called: only public ones may"
}

const giveAnother = "Give another URL, or the bytes in `data`."

/** Uses its own words and repeats nothing of the remote server. */
const failedUrl = (reason: OutboundError["reason"]): string => {
  switch (reason) {
    case "timeout":
      return "The file could not be downloaded within 5 minutes. Call the tool again, or give another URL."
    case "dns_error":
      return `The host of the URL does not resolve. Check the URL for mistakes. ${giveAnother}`
    case "tls_error":
      return `The server of the URL has no valid certificate. ${giveAnother}`
    case "connection_failed":
      return "The server of the URL could not be reached, or closed the connection. Wait 5 seconds, then call the tool again, or give another URL."
    case "redirect_refused":
      return "The server of the URL redirects more than five times, or to nowhere. Find the URL of the file itself, and give that."
    default:
      return `The server of the URL answered with HTTP status ${Number(reason.slice("http_".length))} instead of the file. Check that anybody can download it without signing in. ${giveAnother}`
  }
}

export const ofUrl = (error: OutboundRefused | OutboundError | OutboundTooLarge): ToolError => {
  switch (error._tag) {
    case "OutboundRefused":
      return toolError(`url: ${refusedUrls[error.reason]}. ${giveAnother}`)
    case "OutboundTooLarge":
      return tooLarge
    case "OutboundError":
      return toolError(failedUrl(error.reason))
  }
}

export const ofStore = (
  error: QuotaExceeded | TooManyUploads | FileGone | EventStoreError | BlobStoreError | SqlError
): ToolError => {
  switch (error._tag) {
    case "QuotaExceeded":
      return quotaExceeded(error)
    case "TooManyUploads":
      return tooManyUploads(error)
    case "FileGone":
      return accountGone
    case "EventStoreError":
    case "BlobStoreError":
    case "SqlError":
      return toErrorAnswer(error)
  }
}
