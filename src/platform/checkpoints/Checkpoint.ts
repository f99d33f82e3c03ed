/**
 * A signed checkpoint: where a verification ended, and what it found there. A later one may begin there. As a file, the first line is
 * the facts as JSON, the second the signature of the first; the state of an audit follows as compressed lines. The fields are a storage
 * format: add optional ones, never rename.
 */
import * as crypto from "node:crypto"
import { Option, Schema } from "effect"
import { GlobalPosition } from "#streams/GlobalPosition.ts"
import * as CheckpointKey from "./CheckpointKey.ts"
import { CheckpointKind } from "./CheckpointKind.ts"

/** What tells a log from others. A copy of a log on another backend has other positions. */
export const LogIdentity = Schema.Struct({
  backend: Schema.Literals(["sqlite", "nats"]),
  /** The hash of its first event. */
  first: Schema.String
})
export type LogIdentity = typeof LogIdentity.Type

const StoredState = Schema.Struct({
  /** The rules of the audit that made it (`audit/AuditState`). */
  rules: Schema.Int,
  /** Hexadecimal, of the stored bytes. */
  sha256: Schema.String,
  /** Stored bytes. */
  size: Schema.Int
})

export const Facts = Schema.Struct({
  format: Schema.Literal(1),
  kind: CheckpointKind,
  /** The release that made it. */
  release: Schema.String,
  /** Unix time in ms. */
  madeAt: Schema.Int,
  log: LogIdentity,
  /** Of the last verified event. */
  position: GlobalPosition,
  /** See `EventChain.digest`. */
  digest: Schema.String,
  /** Of that event. */
  hash: Schema.String,
  /** The number of events up to it. */
  events: Schema.Int,
  /** The last verification from the first event on: where it ended, and when (Unix time in ms). */
  whole: Schema.Struct({ position: GlobalPosition, at: Schema.Int }),
  /** Only of an audit. */
  state: Schema.NullOr(StoredState)
})
export type Facts = typeof Facts.Type

const context = "inferlog checkpoint 1\n"
const separator = 10

/** The longest first and second line together, in bytes. */
export const mostHeader = 4_096

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Facts))
const encode = Schema.encodeSync(Facts)

export type Refusal = "damaged" | "signature"

/** Reads the beginning of a file, of at least `mostHeader` bytes if the file is as long. Nothing unsigned is decoded. */
export const parse = (bytes: Buffer, publicKey: CheckpointKey.PublicKey): Facts | Refusal => {
  const first = bytes.indexOf(separator)
  const second = bytes.indexOf(separator, first + 1)
  if (first === -1 || second === -1) return "damaged"
  const text = bytes.subarray(0, first).toString()
  const signature = bytes.subarray(first + 1, second).toString()
  if (!CheckpointKey.isSigned(publicKey, context + text, signature)) return "signature"
  return Option.getOrElse(decode(text), () => "damaged" as const)
}

/** The state after the two lines. `null` when it is not what was signed. */
export const stateOf = (bytes: Buffer, { state }: Facts): Buffer | null => {
  if (state === null) return null
  const found = bytes.subarray(bytes.indexOf(separator, bytes.indexOf(separator) + 1) + 1)
  return found.length === state.size && crypto.hash("sha256", found) === state.sha256 ? found : null
}

/** @param state Compressed. */
export const render = (
  facts: Omit<Facts, "state">,
  sign: (text: string) => string,
  state: { readonly rules: number; readonly bytes: Buffer } | null
): Buffer => {
  const stored = state && {
    rules: state.rules,
    sha256: crypto.hash("sha256", state.bytes),
    size: state.bytes.length
  }
  const text = JSON.stringify(encode({ ...facts, state: stored }))
  const header = Buffer.from(`${text}\n${sign(context + text)}\n`)
  return state === null ? header : Buffer.concat([header, state.bytes])
}
