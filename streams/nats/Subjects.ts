/**
 * Subjects of the log: each stream of events has one, its name escaped into one token, and each payload record one below its
 * stream's. Tokens may hold neither dots nor wildcards nor white space.
 */
import * as StreamName from "../StreamName.ts"
import { names, type NatsOptions } from "./NatsOptions.ts"

const plain = /^[A-Za-z0-9_-]+$/

/** `=` and two hexadecimal digits for each byte that is not a letter, a digit, `_` or `-`. */
export const escape = (text: string): string =>
  plain.test(text)
    ? text
    : Array.from(Buffer.from(text), (byte) => {
        const character = String.fromCharCode(byte)
        return plain.test(character) ? character : `=${byte.toString(16).padStart(2, "0")}`
      }).join("")

export const unescape = (token: string): string =>
  token.includes("=")
    ? Buffer.from(
        token.replaceAll(/=([0-9a-f]{2})|./gs, (character, hex: string | undefined) =>
          hex === undefined ? Buffer.from(character).toString("hex") : hex
        ),
        "hex"
      ).toString()
    : token

export interface Subjects {
  /** Of one stream's appends. */
  readonly events: (stream: StreamName.StreamName) => string
  /** The stream that a subject of `events` is of. */
  readonly streamOf: (subject: string) => StreamName.StreamName
  /** All appends. */
  readonly allEvents: string
  /** Of a payload record; without a hash, of all by that name. */
  readonly payload: (stream: StreamName.StreamName, name: string, hash?: string) => string
  readonly allPayloads: string
  /** Of what is being erased of a stream. */
  readonly erasure: (stream: StreamName.StreamName) => string
  readonly allErasures: string
  /** Of what takes the place of records that are not to come any more. */
  readonly taken: (stream: StreamName.StreamName) => string
  readonly allTaken: string
}

export const make = (options: Pick<NatsOptions, "prefix">): Subjects => {
  const { events, payloads } = names(options)
  const erasures = `${options.prefix}.erasures`
  const taken = `${options.prefix}.taken`
  return {
    events: (stream) => `${events.subjects}.${escape(stream)}`,
    streamOf: (subject) => StreamName.trusted(unescape(subject.slice(subject.lastIndexOf(".") + 1))),
    allEvents: `${events.subjects}.*`,
    payload: (stream, name, hash = "*") =>
      `${payloads.subjects}.${escape(stream)}.${escape(name)}.${hash === "*" ? hash : escape(hash)}`,
    allPayloads: `${payloads.subjects}.*.*.*`,
    erasure: (stream) => `${erasures}.${escape(stream)}`,
    allErasures: `${erasures}.*`,
    taken: (stream) => `${taken}.${escape(stream)}`,
    allTaken: `${taken}.*`
  }
}
