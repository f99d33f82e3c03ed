/** Signatures by Standard Webhooks (https://github.com/standard-webhooks/standard-webhooks; contract, "Events"). */
import * as crypto from "node:crypto"
import { Result, Schema } from "effect"
import * as SameBytes from "#src/kernel/text/SameBytes.ts"

/** Bytes of new secrets. The specification requires 24 to 64. */
export const secretLength = 32

const prefix = "whsec_"

/** Never says what was found instead. */
export class MalformedSecret extends Schema.TaggedError<MalformedSecret>()("MalformedSecret", {
  expected: Schema.String
}) {
  override get message(): string {
    return `Expected ${this.expected}`
  }
}

export const secretText = (bytes: Uint8Array): string => `${prefix}${Buffer.from(bytes).toString("base64")}`

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** The key of signatures: the bytes behind `whsec_`. */
export const secretBytes = (text: string): Result.Result<Buffer, MalformedSecret> => {
  if (!text.startsWith(prefix)) return malformed("a secret that begins with whsec_")
  const encoded = text.slice(prefix.length)
  if (encoded === "" || !base64.test(encoded))
    return malformed("standard base64 with its padding behind whsec_")
  return Result.succeed(Buffer.from(encoded, "base64"))
}

const malformed = (expected: string) => Result.fail(new MalformedSecret({ expected }))

export interface Message {
  /** `webhook-id` */
  readonly id: string
  /** `webhook-timestamp`: Unix time in seconds. Text is signed as it is. */
  readonly timestamp: number | string
  /** Exactly the bytes of the request's body. */
  readonly body: Uint8Array
}

/** One entry of `webhook-signature`. */
export const signature = (key: crypto.KeyObject | Uint8Array, { body, id, timestamp }: Message): string =>
  `v1,${crypto.createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64")}`

/** Whether an entry of `webhook-signature` matches the message. Constant time in the signature. */
export const isSigned = (key: Uint8Array, message: Message, signatures: string): boolean => {
  const expected = Buffer.from(signature(key, message))
  return signatures.split(" ").some((entry) => SameBytes.isSame(Buffer.from(entry), expected))
}

/** Tolerance of a message's time, s. */
export const defaultTolerance = 300

/** A request as received; `null` for a missing header. */
export interface Received {
  readonly id: string | null
  readonly timestamp: string | null
  readonly signature: string | null
  readonly body: Uint8Array
}

export interface Check {
  readonly name:
    | "headers"
    | "webhook-id"
    | "webhook-timestamp"
    | "tolerance"
    | "secret"
    | "webhook-signature"
    | "match"
  /** `skipped`: its subject is missing or malformed, as an earlier check says. */
  readonly outcome: "ok" | "failed" | "skipped"
  /** The finding, without the secret. */
  readonly detail: string
}

/** `isOk` is `null` for a skipped check. */
const checked = (name: Check["name"], isOk: boolean | null, detail: string): Check =>
  isOk === null ? { name, outcome: "skipped", detail: "" } : { name, outcome: isOk ? "ok" : "failed", detail }

/** All checks of a receiver, in order. Trust a request only if none has failed. */
export const check = (options: {
  readonly received: Received
  /** `whsec_…` */
  readonly secret: string
  /** Time of the check, Unix time in ms. */
  readonly now: number
  /** Seconds. */
  readonly tolerance?: number
}): ReadonlyArray<Check> => {
  const { now, received, secret, tolerance = defaultTolerance } = options
  const { body, id, signature, timestamp } = received
  const missing = Object.entries({ id, timestamp, signature }).flatMap(([name, value]) =>
    value === null || value === "" ? [`webhook-${name}`] : []
  )
  // Twelve digits are milliseconds.
  const seconds = timestamp !== null && /^\d{1,11}$/.test(timestamp) ? Number(timestamp) : null
  const age = seconds === null ? null : Math.floor(now / 1_000) - seconds
  const key = secretBytes(secret)
  const entries = signature === null ? 0 : signature.split(" ").filter((entry) => /^v1,./.test(entry)).length
  const isId = id ? !id.includes(".") : null
  // A malformed id or timestamp makes a mismatch meaningless.
  const message = id && isId && timestamp && seconds !== null && entries > 0 ? { id, timestamp, body } : null
  return [
    checked(
      "headers",
      missing.length === 0,
      missing.length === 0 ? "all three" : `without ${missing.join(", ")}`
    ),
    checked("webhook-id", isId, isId ? "no full stop" : "it has a full stop"),
    checked(
      "webhook-timestamp",
      timestamp ? seconds !== null : null,
      seconds === null ? "Expected whole Unix seconds in digits" : `${seconds} s`
    ),
    checked("tolerance", age === null ? null : Math.abs(age) <= tolerance, ageText(age ?? 0, tolerance)),
    checked(
      "secret",
      Result.isSuccess(key),
      Result.isSuccess(key) ? `${key.success.length} bytes` : key.failure.message
    ),
    checked("webhook-signature", signature ? entries > 0 : null, `${entries} of version v1`),
    checkMatch(Result.getOrNull(key), message, signature ?? "")
  ]
}

const checkMatch = (key: Uint8Array | null, message: Message | null, signatures: string): Check => {
  const isMatch = key === null || message === null ? null : isSigned(key, message, signatures)
  return checked(
    "match",
    isMatch,
    isMatch ? "signed with this secret" : "none is of this secret, id, timestamp and body"
  )
}

const ageText = (age: number, tolerance: number): string =>
  `${Math.abs(age)} s ${age < 0 ? "ahead" : "old"}, ${tolerance} s allowed`
