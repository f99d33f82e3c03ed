/**
 * Hands a session to a command line on the browser's machine (RFC 8252, 7.3). The command listens on a port of its loopback
 * address and keeps a secret, whose hash it gives to the sign-in (RFC 7636). The browser brings it a sealed code, which is worth
 * nothing without the secret. The server stores nothing.
 */
import * as crypto from "node:crypto"
import { Option, Schema } from "effect"
import * as Sealing from "#src/kernel/secrets/Sealing.ts"

/** Where the command waits, and the SHA-256 of its secret, base64url. */
export const Waiting = Schema.Struct({
  port: Schema.Int.check(Schema.isBetween({ minimum: 1_024, maximum: 65_535 })),
  challenge: Schema.String.check(Schema.isPattern(/^[A-Za-z0-9_-]{43}$/))
})
export type Waiting = typeof Waiting.Type

const decodeWaiting = Schema.decodeUnknownOption(Waiting)

/** None for a query that names no command, or names it wrongly. */
export const waitingOf = (query: URLSearchParams): Option.Option<Waiting> =>
  decodeWaiting({ port: Number(query.get("port") ?? "0"), challenge: query.get("challenge") })

export const addressOf = ({ port }: Waiting, code: string): string =>
  `http://127.0.0.1:${port}/?code=${encodeURIComponent(code)}`

/** How long the person may take to hand the session over, ms. */
const codeMs = 5 * 60_000

const Session = Schema.Struct({
  token: Schema.String,
  operatorId: Schema.String,
  name: Schema.String,
  role: Schema.String,
  /** Unix time in ms. */
  expiresAt: Schema.Int
})
export type Session = typeof Session.Type

const Sealed = Schema.fromJsonString(
  Schema.Struct({ session: Session, challenge: Schema.String, until: Schema.Int })
)
const encode = Schema.encodeUnknownSync(Sealed)
const decode = Schema.decodeUnknownOption(Sealed)

/** @param key used for this purpose only. Every node has it. */
export const make = (key: Uint8Array) => {
  const seal = { key, context: "session for a command line" }
  return {
    /** @param now Unix time in ms. */
    codeOf: (session: Session, { challenge }: Waiting, now: number): string =>
      Sealing.seal(seal, Buffer.from(encode({ session, challenge, until: now + codeMs }))),
    /** The session, for the command that has the secret only. */
    sessionOf: (code: string, verifier: string, now: number): Option.Option<Session> =>
      Option.getSuccess(Sealing.open(seal, code)).pipe(
        Option.flatMap((bytes) => decode(bytes.toString())),
        Option.filter(({ challenge, until }) => now < until && challengeOf(verifier) === challenge),
        Option.map(({ session }) => session)
      )
  }
}

export const challengeOf = (verifier: string): string => crypto.hash("sha256", verifier, "base64url")
