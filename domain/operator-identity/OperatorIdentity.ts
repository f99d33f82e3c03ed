/**
 * A person who administers by single sign-on: the subject of an OpenID issuer, with the role of the last sign-in and the
 * sessions that are open. The secrets of sessions are on the log as hashes only.
 */
import { Result, Schema } from "effect"
import type { Aggregate } from "../Aggregate.ts"
import * as EventCodec from "../EventCodec.ts"
import { Role } from "../operator/Role.ts"

/** Derived from issuer and subject. */
export const OperatorIdentityId = Schema.String.check(
  Schema.isPattern(/^oi_[0-9a-f]{32}$/, {
    expected: "an operator's id such as oi_ and 32 hexadecimal digits"
  })
).pipe(Schema.brand("OperatorIdentityId"))
export type OperatorIdentityId = typeof OperatorIdentityId.Type

/** Unix time in ms, like all times here. */
const at = Schema.Int

/** Names and fields of the events are the storage format: add cases or optional fields, never rename. */
const OperatorSignedIn = Schema.TaggedStruct("OperatorSignedIn", {
  at,
  issuer: Schema.String,
  subject: Schema.String,
  /** As the issuer says. */
  name: Schema.String,
  role: Role,
  sessionId: Schema.String,
  /** Hex SHA-256 of the session's secret. */
  secretHash: Schema.String,
  expiresAt: Schema.Int
})
type OperatorSignedIn = typeof OperatorSignedIn.Type

const OperatorSignedOut = Schema.TaggedStruct("OperatorSignedOut", { at, sessionId: Schema.String })

/** Every session of the person ended at once. */
const OperatorSessionsEnded = Schema.TaggedStruct("OperatorSessionsEnded", {
  at,
  /** `role_lost`: at a sign-in the issuer's claims gave no role. `revoked`: an operator ended them. */
  reason: Schema.Literals(["role_lost", "revoked"])
})
type EndReason = (typeof OperatorSessionsEnded.Type)["reason"]

const codec = EventCodec.make([OperatorSignedIn, OperatorSignedOut, OperatorSessionsEnded])
export type Event = ReturnType<typeof codec.decode>

export type Command =
  | { readonly _tag: "SignIn"; readonly signIn: Omit<OperatorSignedIn, "_tag"> }
  | { readonly _tag: "SignOut"; readonly at: number; readonly sessionId: string }
  | { readonly _tag: "EndSessions"; readonly at: number; readonly reason: EndReason }

export interface Session {
  readonly sessionId: string
  readonly secretHash: string
  readonly expiresAt: number
  readonly hasEnded: boolean
}

interface Known {
  readonly _tag: "Known"
  readonly issuer: string
  readonly name: string
  /** Of the last sign-in, for all sessions. */
  readonly role: Role
  /** The newest ones, oldest first. */
  readonly sessions: ReadonlyArray<Session>
}

export type State = { readonly _tag: "Unknown" } | Known

/** The sign-in was used before. */
export type Rejection = { readonly _tag: "SignInRepeated" }

/** Sessions of one person. A further one ends the oldest. */
export const mostSessions = 20

/** The session if it is open at `now`. */
export const openSession = (state: State, sessionId: string, now: number): Session | null => {
  if (state._tag === "Unknown") return null
  const found = state.sessions.find((session) => session.sessionId === sessionId)
  return found === undefined || found.hasEnded || now >= found.expiresAt ? null : found
}

const decide = (command: Command, state: State): Result.Result<ReadonlyArray<Event>, Rejection> => {
  const sessions = state._tag === "Known" ? state.sessions : []
  switch (command._tag) {
    case "SignIn":
      return sessions.some(({ sessionId }) => sessionId === command.signIn.sessionId)
        ? Result.fail({ _tag: "SignInRepeated" })
        : Result.succeed([{ _tag: "OperatorSignedIn", ...command.signIn }])
    case "SignOut":
      return Result.succeed(
        openSession(state, command.sessionId, command.at) === null
          ? []
          : [{ ...command, _tag: "OperatorSignedOut" }]
      )
    case "EndSessions":
      return Result.succeed(
        sessions.every(({ expiresAt, hasEnded }) => hasEnded || command.at >= expiresAt)
          ? []
          : [{ ...command, _tag: "OperatorSessionsEnded" }]
      )
  }
}

const evolve = (state: State, event: Event): State => {
  if (event._tag === "OperatorSignedIn") {
    const { expiresAt, issuer, name, role, secretHash, sessionId } = event
    const before = state._tag === "Known" ? state.sessions : []
    const sessions = [...before, { sessionId, secretHash, expiresAt, hasEnded: false }].slice(-mostSessions)
    return { _tag: "Known", issuer, name, role, sessions }
  }
  if (state._tag === "Unknown") return state
  const hasEnded = (session: Session): boolean =>
    event._tag === "OperatorSessionsEnded" || session.sessionId === event.sessionId
  return {
    ...state,
    sessions: state.sessions.map((session) => (hasEnded(session) ? { ...session, hasEnded: true } : session))
  }
}

export const aggregate: Aggregate<State, Command, Event, Rejection> = {
  category: "OperatorIdentity",
  codec,
  decider: { initial: { _tag: "Unknown" }, decide, evolve }
}
