/** Why the other side does not do what it was asked to: a server of ours, or S3. */
import { Option, Schema } from "effect"
import * as Output from "#src/cli/Output.ts"

/** Nobody answered, or the connection broke off. */
export class Unreachable extends Schema.TaggedError<Unreachable>()("Unreachable", {
  origin: Schema.String,
  reason: Schema.String
}) {
  override get message(): string {
    return `${this.origin} gives no answer: ${this.reason}`
  }
}

export class Refused extends Schema.TaggedError<Refused>()("Refused", {
  status: Schema.Int,
  /** `details.code` of the envelope, or S3's word; `null` where there is none. */
  code: Schema.NullOr(Schema.String),
  reason: Schema.String,
  /** ms */
  retryAfter: Schema.NullOr(Schema.Finite),
  /** Whether the presigned URL was used after its time. */
  isExpired: Schema.Boolean
}) {
  override get message(): string {
    const code = this.code === null ? "" : ` ${this.code}`
    const hint = this.status === 401 ? " The key is that of INFERLOG_API_KEY or --key." : ""
    return `Refused with ${this.status}${code}: ${this.reason}${hint}`
  }
}

/** Something answers, though not as a server of this release does. */
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

/** Characters of a reason. */
const longest = 300

const element = (xml: string, name: string): string | null =>
  new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1] ?? null

/** ms, of seconds or of a date (RFC 9110, section 10.2.3). */
const parseRetryAfter = (text: string | undefined, now: number): number | null => {
  if (text === undefined) return null
  const millis = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now
  return Number.isNaN(millis) ? null : Math.max(0, millis)
}

export interface Answer {
  readonly status: number
  readonly text: string
  /** The header of that name. */
  readonly retryAfter: string | undefined
  /** Unix time in ms. */
  readonly now: number
}

/** Of an answer that is no success: an error envelope of ours, or the XML of S3. */
export const of = ({ now, retryAfter, status, text }: Answer): Refused => {
  const envelope = decodeEnvelope(text)
  const code = Option.match(envelope, {
    onNone: () => element(text, "Code"),
    onSome: ({ details }) => details?.code ?? null
  })
  const reason = Option.match(envelope, {
    onNone: () => element(text, "Message") ?? "the answer says no more",
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
