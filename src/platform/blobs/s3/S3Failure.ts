/** Errors of calls to S3. Reasons are fixed texts without URLs, keys or secrets. */
import { Predicate, Schema } from "effect"
import { BlobStoreError } from "#streams/BlobStore.ts"

/** The recorded part of an error answer. S3's own message repeats the key, which is a file's only credential. */
export class S3Answer extends Schema.TaggedError<S3Answer>()("S3Answer", {
  code: Schema.String,
  status: Schema.Int,
  /** S3's request id, for its operator. */
  requestId: Schema.String
}) {
  override get message(): string {
    return `${this.code} (HTTP ${this.status}, request ${this.requestId})`
  }
}

const textOf = (cause: unknown, name: string): string =>
  Predicate.hasProperty(cause, name) && typeof cause[name] === "string" ? cause[name] : ""

/** Some errors of the SDK have their code as the name. */
const nameOf = (cause: unknown): string => {
  if (textOf(cause, "message") === "Region is missing") return "RegionMissing"
  const code = textOf(cause, "Code") || textOf(cause, "name")
  return code === "Error" ? textOf(cause, "code") : code
}

/** The cause in the SDK's error: an answer, or what prevented one. */
const kept = (cause: unknown): unknown => {
  const metadata = Predicate.hasProperty(cause, "$metadata") ? cause.$metadata : null
  const status = Predicate.hasProperty(metadata, "httpStatusCode") ? metadata.httpStatusCode : null
  return typeof status === "number"
    ? new S3Answer({ code: nameOf(cause), status, requestId: textOf(metadata, "requestId") })
    : cause
}

const isAnswer = Schema.is(S3Answer)

/** The code of S3's answer, or the name that the SDK or Node gives. */
const codeOf = (cause: unknown): string => (isAnswer(cause) ? cause.code : nameOf(cause))

/** The status of S3's answer; 0 without one. */
const statusOf = (cause: unknown): number => (isAnswer(cause) ? cause.status : 0)

interface Reason {
  readonly why: string
  /** Advice for the operator. */
  readonly remedy: string
}

const forbidden: Reason = {
  why: "S3 does not allow it with these credentials",
  remedy: "they have to allow to list the bucket, and to get, put and delete its objects"
}
const refused: Reason = { why: "S3 refuses it", remedy: "look at endpoint and region" }
const unsent: Reason = { why: "it could not be asked for", remedy: "the log says why" }
const busy: Reason = { why: "S3 cannot do it for now", remedy: "try again" }
const full: Reason = { why: "there is no room left", remedy: "make room" }

const keys = "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"

const reasons: ReadonlyArray<Reason & { readonly code: RegExp }> = [
  { code: /^NoSuchBucket$/, why: "the bucket does not exist", remedy: "make it, or correct its name" },
  {
    code: /^(?:Credentials|Token)ProviderError$/,
    why: "there are no credentials for S3",
    remedy: `set ${keys}, or run where AWS gives them`
  },
  {
    code: /^(?:InvalidAccessKeyId|SignatureDoesNotMatch|ExpiredToken|InvalidToken)$/,
    why: "S3 does not know the credentials",
    remedy: `correct ${keys}`
  },
  { code: /^RequestTimeTooSkewed$/, why: "this machine's clock is not that of S3", remedy: "keep it by NTP" },
  { code: /^RegionMissing$/, why: "the region is not known", remedy: "add ?region=" },
  {
    code: /^(?:PermanentRedirect|AuthorizationHeaderMalformed|IllegalLocationConstraintException)$/,
    why: "the bucket is in another region",
    remedy: "correct region"
  },
  {
    code: /^(?:TimeoutError|E[A-Z]+|EAI_[A-Z]+|ERR_[A-Z_]+|HPE_[A-Z_]+|[A-Z_]*CERT[A-Z_]*)$/,
    why: "S3 cannot be reached",
    remedy: "look at endpoint, and whether it runs"
  },
  { code: /^PreconditionFailed$/, why: "the blob was replaced before it was read", remedy: "try again" },
  { code: /^(?:QuotaExceeded|XMinioStorageFull|InsufficientStorage)/, ...full }
]

const reasonOf = (cause: unknown): Reason => {
  const found = reasons.find(({ code }) => code.test(codeOf(cause)))
  if (found !== undefined) return found
  const status = statusOf(cause)
  if (status === 0) return unsent
  if (status === 401 || status === 403) return forbidden
  if (status === 507) return full
  return status === 429 || status >= 500 ? busy : refused
}

/** @param operation what failed: "read a blob". */
export const of = (operation: string, thrown: unknown): BlobStoreError => {
  const cause = kept(thrown)
  const { why } = reasonOf(cause)
  const isFull = why === full.why ? { isFull: true } : {}
  return new BlobStoreError({ reason: `could not ${operation}: ${why}`, ...isFull, cause })
}

/** The advice for the operator. */
export const remedyOf = ({ cause }: BlobStoreError): string => reasonOf(cause).remedy

/** Adds the advice for the operator. */
export const withRemedy = (error: BlobStoreError): BlobStoreError =>
  new BlobStoreError({ reason: `${error.reason}: ${remedyOf(error)}`, cause: error.cause })

/** Whether S3 answered with one of these codes. */
export const hasCode =
  (...codes: ReadonlyArray<string>) =>
  ({ cause }: BlobStoreError): boolean =>
    codes.includes(codeOf(cause))

/** The multipart upload does not exist or no longer exists. Some servers report it as a missing key. */
export const isNoUpload = hasCode("NoSuchUpload", "NoSuchKey")

/** The object does not exist. The answer to a HEAD has no body and therefore no code. */
export const isAbsent = (error: BlobStoreError): boolean =>
  statusOf(error.cause) === 404 && !hasCode("NoSuchBucket", "NoSuchUpload")(error)
