/**
 * Identifiers. They are no secrets: access is always checked. All of them are built from parts that the caller
 * supplies, so that this stays pure.
 */
import { Schema } from "effect"

/** The 64 characters of `A-Za-z0-9_-` in ASCII order, so that encoded numbers sort as text. */
const alphabet = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"

const encodeBase64Ordered = (value: number, length: number): string => {
  let text = ""
  let rest = value
  for (let index = 0; index < length; index++) {
    text = alphabet.charAt(rest % 64) + text
    rest = Math.floor(rest / 64)
  }
  return text
}

const decodeBase64Ordered = (text: string): number => {
  let value = 0
  for (const character of text) value = value * 64 + alphabet.indexOf(character)
  return value
}

/** Shape of a request id: 21 characters (contract, "Limits"; decisions, "Requests"). */
export const requestIdPattern = /^[A-Za-z0-9_-]{21}$/

export const RequestId = Schema.String.check(Schema.isPattern(requestIdPattern)).pipe(
  Schema.brand("RequestId")
)
export type RequestId = typeof RequestId.Type

export const AccountId = Schema.String.pipe(Schema.brand("AccountId"))
export type AccountId = typeof AccountId.Type

export const KeyId = Schema.String.pipe(Schema.brand("KeyId"))
export type KeyId = typeof KeyId.Type

export interface TimeOrderedParts {
  /** Unix time in ms. */
  readonly millis: number
  /** 0..4095, rising within one millisecond. */
  readonly counter: number
  /** At least 10 random bytes. */
  readonly random: Uint8Array
}

/** The two highest of the nine time digits stay the same until 2109 (64⁷ ms); letters there keep ids friendly to shells. */
const timePrefix = "rq"

/**
 * 21 characters that sort by time: 9 of milliseconds, 2 of a counter, 10 random (60 bits). A unique index on random ids
 * would cost 40 % of the submit rate.
 */
export const makeTimeOrdered = (parts: TimeOrderedParts): string => {
  let random = ""
  for (const byte of parts.random.subarray(0, 10)) random += alphabet.charAt(byte % 64)
  return timePrefix + encodeBase64Ordered(parts.millis, 7) + encodeBase64Ordered(parts.counter, 2) + random
}

/** The milliseconds that `makeTimeOrdered` put into an id. */
export const millisOf = (id: string): number => decodeBase64Ordered(id.slice(timePrefix.length, 9))
