/**
 * A session of the console in the place of a key. Its cookie is worth nothing outside of the console: calls have it in a
 * scheme of `Authorization` that only this process can write, and writes for calls of the console alone.
 */
import * as crypto from "node:crypto"
import { Redacted } from "effect"
import * as ConsoleSessions from "#domain/console-sessions/ConsoleSessions.ts"
import * as ApiKey from "../ApiKey.ts"

/** A session from a request. Its secret is hashed at once and not stored. */
export interface Presented {
  /** The account or the operator. */
  readonly holder: string
  readonly sessionId: string
  readonly sessionHash: string
}

const form = /^((?:acc|op)_[0-9a-f]{16})\.([\w-]{22}):([\w-]{43})$/

/** The text of the cookie: `<holder>.<session>:<secret>`. */
export const format = (holder: string, sessionId: string, secret: Redacted.Redacted): string =>
  `${holder}.${sessionId}:${Redacted.value(secret)}`

/** `null` if the text is no session's. */
export const present = (text: string): Presented | null => {
  const [, holder, sessionId, secret] = form.exec(text) ?? []
  return holder === undefined || sessionId === undefined || secret === undefined
    ? null
    : { holder, sessionId, sessionHash: ApiKey.sha256Hex(secret) }
}

/** 256 random bits that never leave this process. */
const prefix = `Session-${crypto.randomBytes(32).toString("base64url")} `

/** The `Authorization` of a call of the console. */
export const authorizationOf = (token: string): string => prefix + token

/** The session of an `Authorization` header that this process wrote; `null` for every other. */
export const presentedBy = (header: string | undefined): Presented | null =>
  header?.startsWith(prefix) === true ? present(header.slice(prefix.length)) : null

/** Compared when the session does not exist, so that an unknown one takes as long as a wrong secret. */
const noSecret = ApiKey.expected(ApiKey.sha256Hex("no such session"))

/** Whether the state has the session, open or not. */
export const isKnown = ({ sessionId }: Presented, { sessions }: ConsoleSessions.State): boolean =>
  sessions.some((session) => session.sessionId === sessionId)

/** The open session that is presented; `null` without one. What it was opened with may have ended. */
export const find = (
  { sessionHash, sessionId }: Presented,
  state: ConsoleSessions.State,
  now: number
): ConsoleSessions.Session | null => {
  const session = ConsoleSessions.openSession(state, sessionId, now)
  const expected = session === null ? noSecret : ApiKey.expected(session.secretHash)
  return ApiKey.matches({ secretHash: sessionHash }, expected) ? session : null
}
