/** What S3, or the way to it, says when it does not do what it was asked. Reasons are fixed: no URL or key is in them. */
import { Predicate } from "effect"
import { BlobStoreError } from "#streams/BlobStore.ts"

const textOf = (cause: unknown, name: string): string =>
  Predicate.hasProperty(cause, name) && typeof cause[name] === "string" ? cause[name] : ""

/** The code of S3's answer, or what the SDK and Node call it. */
export const codeOf = (cause: unknown): string => {
  const code = textOf(cause, "Code") || textOf(cause, "name")
  return code === "Error" || code === "" ? textOf(cause, "code") : code
}

const statusOf = (cause: unknown): number => {
  const metadata = Predicate.hasProperty(cause, "$metadata") ? cause.$metadata : null
  return Predicate.hasProperty(metadata, "httpStatusCode") ? Number(metadata.httpStatusCode) : 0
}

const isFull = (cause: unknown): boolean =>
  statusOf(cause) === 507 || /^(?:QuotaExceeded|XMinioStorageFull|InsufficientStorage)/.test(codeOf(cause))

const reasons: ReadonlyArray<readonly [RegExp, string]> = [
  [/^NoSuchBucket$/, "the bucket does not exist"],
  [/^(?:CredentialsProviderError|TokenProviderError)$/, "there are no credentials for S3"],
  [
    /^(?:InvalidAccessKeyId|SignatureDoesNotMatch|ExpiredToken|InvalidToken)$/,
    "S3 does not know the credentials"
  ],
  [/^RequestTimeTooSkewed$/, "this machine's clock is not that of S3"],
  [
    /^(?:PermanentRedirect|AuthorizationHeaderMalformed|IllegalLocationConstraintException)$/,
    "the bucket is in another region"
  ],
  [/^PreconditionFailed$/, "the blob was replaced before it was read"],
  [/^(?:TimeoutError|E[A-Z_]+|UND_ERR_\w+)$/, "S3 cannot be reached"]
]

const whyOf = (cause: unknown): string => {
  const found = reasons.find(([code]) => code.test(codeOf(cause)))
  if (found !== undefined) return found[1]
  const status = statusOf(cause)
  if (isFull(cause)) return "there is no room left"
  if (status === 401 || status === 403) return "S3 does not allow it with these credentials"
  if (status === 429 || status >= 500) return "S3 cannot do it for now"
  return status === 0 ? "S3 cannot be reached" : "S3 refuses it"
}

/** @param operation what could not be done: "read a blob". */
export const of = (operation: string, cause: unknown): BlobStoreError =>
  new BlobStoreError({
    reason: `could not ${operation}: ${whyOf(cause)}`,
    ...(isFull(cause) ? { isFull: true } : {}),
    cause
  })

/** S3 answered with this code. */
export const hasCode =
  (...codes: ReadonlyArray<string>) =>
  ({ cause }: BlobStoreError): boolean =>
    codes.includes(codeOf(cause))

/** There is no such object. A HEAD has no body, and so no code. */
export const isAbsent = ({ cause }: BlobStoreError): boolean =>
  statusOf(cause) === 404 && !/^NoSuch(?:Bucket|Upload)$/.test(codeOf(cause))

/** There is no such upload, any more or at all. */
export const isNoUpload = hasCode("NoSuchUpload")
