/**
 * Subjects of the log. Each stream of events has one, with its name escaped into one token; each payload record has one
 * below its stream's. Tokens cannot contain dots, wildcards or white space.
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
  /** The subject of a stream's appends. */
  readonly events: (stream: StreamName.StreamName) => string
  /** The stream of a subject made by `events`. */
  readonly streamOf: (subject: string) => StreamName.StreamName
  /** All appends. */
  readonly allEvents: string
  /** The subject of a payload record. Without a hash, it matches all records with that name. */
  readonly payload: (stream: StreamName.StreamName, name: string, hash?: string) => string
  readonly allPayloads: string
  /** The subject of notes about erasures in a stream. */
  readonly erasure: (stream: StreamName.StreamName) => string
  readonly allErasures: string
  /** The subject of placeholders for records that must not arrive any more. */
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
