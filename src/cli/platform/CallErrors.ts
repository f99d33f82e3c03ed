/** Errors of calls to an inferlog server or to S3. */
import { DateTime, Duration, Option, Result, Schema } from "effect"
import * as Headers from "effect/http/Headers"
import * as Output from "#src/cli/Output.ts"

/** There was no response, or the connection broke. */
export class Unreachable extends Schema.TaggedError<Unreachable>()("Unreachable", {
  origin: Schema.String,
  reason: Schema.String
}) {
  override get message(): string {
    return `${this.origin} does not answer: ${this.reason}`
  }
}

export class Refused extends Schema.TaggedError<Refused>()("Refused", {
  status: Schema.Int,
  /** `details.code` of the error envelope, or the error code of S3; `null` without one. */
  code: Schema.NullOr(Schema.String),
  reason: Schema.String,
  /** ms */
  retryAfter: Schema.NullOr(Schema.Finite),
  /** Whether the presigned URL has expired. */
  isExpired: Schema.Boolean
}) {
  override get message(): string {
    const code = this.code === null ? "" : ` ${this.code}`
    const hint = this.status === 401 ? " Check the key in INFERLOG_API_KEY or --key." : ""
    return `Refused with ${this.status}${code}: ${this.reason}${hint}`
  }
}

/** A response that this release does not expect. */
export const unexpected = (reason: string): Refused =>
  new Refused({ status: 200, code: null, reason, retryAfter: null, isExpired: false })

const Envelope = Schema.fromJsonString(
  Schema.Struct({
    error: Schema.Union([
      Schema.String,
      Schema.Array(
        Schema.Struct({
          path: Schema.Array(Schema.Union([Schema.String, Schema.Finite])),
          message: Schema.String
        })
      )
    ]),
    details: Schema.optionalKey(Schema.Struct({ code: Schema.String }))
  })
)
type Envelope = typeof Envelope.Type

const decodeEnvelope = Schema.decodeUnknownOption(Envelope)

const reasonOf = ({ error }: Envelope): string =>
  typeof error === "string"
    ? error
    : error.map(({ message, path }) => `${path.join(".")}: ${message}`).join("; ")

/** Longest reason in characters. */
const longest = 300

const element = (xml: string, name: string): string | null =>
  new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1] ?? null

/** The delay in `Retry-After`, ms; `null` without a valid header. */
const parseRetryAfter = (text: string | undefined, now: number): number | null =>
  Result.match(Headers.parseRetryAfter(text ?? ""), {
    onFailure: () => null,
    onSuccess: (retryAfter) =>
      retryAfter._tag === "Duration"
        ? Duration.toMillis(retryAfter.duration)
        : Math.max(0, DateTime.toEpochMillis(retryAfter.dateTime) - now)
  })

/** Reads an error response: the error envelope of inferlog, or the XML of S3. */
export const of = ({
  now,
  retryAfter,
  status,
  text
}: {
  readonly status: number
  readonly text: string
  /** The header `Retry-After`. */
  readonly retryAfter: string | undefined
  /** Unix time in ms. */
  readonly now: number
}): Refused => {
  const envelope = decodeEnvelope(text)
  const code = Option.match(envelope, {
    onNone: () => element(text, "Code"),
    onSome: ({ details }) => details?.code ?? null
  })
  const reason = Option.match(envelope, {
    onNone: () => element(text, "Message") ?? "the response gives no reason",
    onSome: reasonOf
  })
  return new Refused({
    status,
    code: code === null ? null : Output.printable(code).slice(0, longest),
    reason: Output.printable(reason).slice(0, longest),
    retryAfter: parseRetryAfter(retryAfter, now),
    isExpired: status === 403 && (code === "URL_EXPIRED" || /expired/i.test(reason))
  })
}
