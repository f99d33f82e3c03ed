/**
 * Identifiers. They are not secrets: access is always checked. Callers supply the time and the random parts, so that this
 * module stays pure.
 */
import { Schema } from "effect"

/** The 64 characters of `A-Za-z0-9_-` in ASCII order, so that encoded numbers sort as text. */
const alphabet = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"

const codes = Array.from(alphabet, (character) => character.charCodeAt(0))
const codeOf = (digit: number): number => codes[digit] ?? 0

/** Writes the code units of `value` in `length` digits from index `start` on. */
const putOrdered = (target: Array<number>, start: number, length: number, value: number): void => {
  let rest = value
  for (let index = start + length - 1; index >= start; index--) {
    target[index] = codeOf(rest % 64)
    rest = Math.floor(rest / 64)
  }
}

const decodeBase64Ordered = (text: string): number => {
  let value = 0
  for (const character of text) value = value * 64 + alphabet.indexOf(character)
  return value
}

/** The form of a request id: 21 characters (contract, "Limits"; decisions, "Requests"). */
export const requestIdPattern = /^[A-Za-z0-9_-]{21}$/

export const RequestId = Schema.String.check(Schema.isPattern(requestIdPattern)).pipe(
  Schema.brand("RequestId")
)
export type RequestId = typeof RequestId.Type

export const AccountId = Schema.String.pipe(Schema.brand("AccountId"))
export type AccountId = typeof AccountId.Type

/**
 * 24 characters of base64url, 144 random bits. In the URL of a file, the id is the only credential (architecture,
 * "Storage").
 */
export const FileId = Schema.String.check(Schema.isPattern(/^[A-Za-z0-9_-]{24}$/)).pipe(
  Schema.brand("FileId")
)
export type FileId = typeof FileId.Type

export const KeyId = Schema.String.pipe(Schema.brand("KeyId"))
export type KeyId = typeof KeyId.Type

export interface TimeOrderedParts {
  /** Unix time in ms. */
  readonly millis: number
  /** 0 to 4095, rising within one millisecond. */
  readonly counter: number
  /** At least 10 random bytes. */
  readonly random: Uint8Array
}

/**
 * The two highest of the nine time digits. They are constant until 2109 (64⁷ ms), and letters at the start make ids easy to
 * use in a shell.
 */
const timePrefix = "rq"

/** The code units of one id at a time, because each request needs several ids. */
const codeUnits = Array.from(timePrefix.padEnd(21), (character) => character.charCodeAt(0))

/**
 * An id of 21 characters that sorts by time: 9 for milliseconds, 2 for the counter, 10 random (60 bits). A unique index on
 * random ids would cost 40 % of the submit rate.
 */
export const makeTimeOrdered = ({ counter, millis, random }: TimeOrderedParts): string => {
  putOrdered(codeUnits, 2, 7, millis)
  putOrdered(codeUnits, 9, 2, counter)
  for (let index = 0; index < 10; index++) codeUnits[11 + index] = codeOf((random[index] ?? 0) % 64)
  // In one step: a string built by concatenation would be flattened again wherever it is used as a key.
  return String.fromCharCode(...codeUnits)
}

/** A lower bound: `makeTimeOrdered` returns no smaller id at or after `millis` (Unix time; 0 for times before 1970). */
export const firstTimeOrdered = (millis: number): string =>
  makeTimeOrdered({ millis: Math.max(millis, 0), counter: 0, random: new Uint8Array(10) })

/** The milliseconds that `makeTimeOrdered` wrote into an id. */
export const millisOf = (id: string): number => decodeBase64Ordered(id.slice(timePrefix.length, 9))
