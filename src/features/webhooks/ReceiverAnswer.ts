/** What is kept of a receiver's answer, so that people see why an attempt failed. It is erased with the delivery's body. */
import { Schema } from "effect"
import type { OutboundAnswer } from "#src/kernel/outbound/Posting.ts"

/** Headers that help to find a fault. Others are not kept, because they may hold secrets (`set-cookie`). */
const keptHeaders = [
  "allow",
  "content-encoding",
  "content-length",
  "content-type",
  "date",
  "location",
  "retry-after",
  "server",
  "via",
  "www-authenticate",
  "x-correlation-id",
  "x-request-id"
] as const

/** Characters of one header. */
const mostHeaderLength = 256

export const ReceiverAnswer = Schema.Struct({
  /** By lower-case name: only some. */
  headers: Schema.Record(Schema.String, Schema.String),
  /** The beginning of the body; `null` if it is not text. */
  body: Schema.NullOr(Schema.String),
  /** Whether `body` is only the beginning. */
  isTruncated: Schema.Boolean
})
export type ReceiverAnswer = typeof ReceiverAnswer.Type

const isPresent = (
  header: readonly [string, unknown]
): header is readonly [string, string | ReadonlyArray<string>] => header[1] !== undefined

const headersOf = ({ headers }: OutboundAnswer): ReceiverAnswer["headers"] =>
  Object.fromEntries(
    keptHeaders
      .map((name) => [name, headers[name]] as const)
      .filter(isPresent)
      .map(([name, value]) => [name, [value].flat().join(", ").slice(0, mostHeaderLength)])
  )

/** `null` for bytes that are no UTF-8 text. A character that the cut has split is left out. */
const textOf = (bytes: Uint8Array): string | null => {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true })
    return text.includes("\0") ? null : text
  } catch {
    return null
  }
}

export const of = (answer: OutboundAnswer): ReceiverAnswer => ({
  headers: headersOf(answer),
  body: textOf(answer.body),
  isTruncated: answer.received > answer.body.length || isCut(answer)
})

/** The receiver announced more than has arrived. */
const isCut = ({ headers, received }: OutboundAnswer): boolean => Number(headers["content-length"]) > received

/** Most answers are a 2xx without a body. They cost no space on the log. */
export const isWorthKeeping = ({ received, status }: OutboundAnswer): boolean =>
  received > 0 || status < 200 || status > 299

/** The text of the payload. */
export const textOfPayload = (answer: OutboundAnswer): string => JSON.stringify(of(answer))

export const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(ReceiverAnswer))
