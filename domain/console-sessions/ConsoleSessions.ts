/**
 * The sessions of the console that one holder has opened: an account, or an operator with a key. The secrets of sessions, and
 * those that opened them, are on the log as hashes only.
 */
import { Result, Schema } from "effect"
import type { Aggregate } from "../Aggregate.ts"
import * as EventCodec from "../EventCodec.ts"
import { KeyId } from "../Ids.ts"

/** Unix time in ms, like all times here. */
const at = Schema.Int

const ByKey = Schema.TaggedStruct("Key", {
  keyId: KeyId,
  /** Hex SHA-256 of the key's secret. The session ends when the key has another one. */
  keyHash: Schema.String
})

const ByPassword = Schema.TaggedStruct("Password", {
  /** Changes with every new password. The session ends with it. */
  passwordMark: Schema.String,
  /** The key of the account under which the session acts. Nobody knows its secret. */
  keyId: KeyId,
  keyHash: Schema.String
})

const ByOperatorKey = Schema.TaggedStruct("OperatorKey", { keyHash: Schema.String })

/** What a session was opened with, and ends with. */
export const Opener = Schema.Union([ByKey, ByPassword, ByOperatorKey])
export type Opener = typeof Opener.Type

/** Names and fields of the events are the storage format: add cases or optional fields, never rename. */
const ConsoleSessionOpened = Schema.TaggedStruct("ConsoleSessionOpened", {
  at,
  sessionId: Schema.String,
  /** Hex SHA-256 of the session's secret. */
  secretHash: Schema.String,
  opener: Opener,
  /** Name and system of the browser, such as `Firefox on Linux`. */
  browser: Schema.String,
  expiresAt: Schema.Int
})
type ConsoleSessionOpened = typeof ConsoleSessionOpened.Type

const ConsoleSessionClosed = Schema.TaggedStruct("ConsoleSessionClosed", {
  at,
  sessionId: Schema.String,
  /** `signed_out`: by itself. `revoked`: by another session of the holder. */
  reason: Schema.Literals(["signed_out", "revoked"])
})
export type CloseReason = (typeof ConsoleSessionClosed.Type)["reason"]

/** Every session of the holder but one ended at once. */
const OtherConsoleSessionsEnded = Schema.TaggedStruct("OtherConsoleSessionsEnded", {
  at,
  /** The session that goes on. */
  sessionId: Schema.String
})

const codec = EventCodec.make([ConsoleSessionOpened, ConsoleSessionClosed, OtherConsoleSessionsEnded])
export type Event = ReturnType<typeof codec.decode>

export type Command =
  | { readonly _tag: "Open"; readonly session: Omit<ConsoleSessionOpened, "_tag"> }
  | {
      readonly _tag: "Close"
      readonly at: number
      readonly sessionId: string
      readonly reason: CloseReason
    }
  | { readonly _tag: "EndOthers"; readonly at: number; readonly sessionId: string }

export interface Session extends Omit<ConsoleSessionOpened, "_tag" | "at"> {
  readonly openedAt: number
  readonly hasEnded: boolean
}

export interface State {
  /** The newest ones, oldest first. */
  readonly sessions: ReadonlyArray<Session>
  /** The key under which sessions by password act. `null` before the first one. It may have been revoked. */
  readonly passwordKey: Pick<typeof ByPassword.Type, "keyId" | "keyHash"> | null
}

/** Sessions of one holder. A further one takes the place of one that is over, or else ends the oldest. */
export const mostSessions = 20

const isOpen = ({ expiresAt, hasEnded }: Session, now: number): boolean => !hasEnded && now < expiresAt

/** The session if it is open at `now`. What it was opened with may have ended. */
export const openSession = ({ sessions }: State, sessionId: string, now: number): Session | null => {
  const found = sessions.find((session) => session.sessionId === sessionId)
  return found !== undefined && isOpen(found, now) ? found : null
}

/** The sessions that are open at `now`, newest first. What they were opened with may have ended. */
export const openSessions = ({ sessions }: State, now: number): ReadonlyArray<Session> =>
  sessions.filter((session) => isOpen(session, now)).toReversed()

/** At most `mostSessions`, after one was opened at `at`. */
const within = (sessions: ReadonlyArray<Session>, at: number): ReadonlyArray<Session> => {
  if (sessions.length <= mostSessions) return sessions
  const over = sessions.findIndex((session) => !isOpen(session, at))
  return sessions.toSpliced(Math.max(0, over), 1)
}

const decide = (command: Command, state: State): Result.Result<ReadonlyArray<Event>, never> => {
  switch (command._tag) {
    case "Open":
      return Result.succeed([{ _tag: "ConsoleSessionOpened", ...command.session }])
    case "Close":
      return Result.succeed(
        openSession(state, command.sessionId, command.at) === null
          ? []
          : [{ ...command, _tag: "ConsoleSessionClosed" }]
      )
    case "EndOthers":
      return Result.succeed(
        openSessions(state, command.at).every(({ sessionId }) => sessionId === command.sessionId)
          ? []
          : [{ ...command, _tag: "OtherConsoleSessionsEnded" }]
      )
  }
}

const evolve = (state: State, event: Event): State => {
  if (event._tag === "ConsoleSessionOpened") {
    const { _tag, at, ...session } = event
    const opened = { ...session, openedAt: at, hasEnded: false }
    const { opener } = session
    return {
      sessions: within([...state.sessions, opened], at),
      passwordKey: opener._tag === "Password" ? opener : state.passwordKey
    }
  }
  const ends = ({ sessionId }: Session): boolean =>
    (sessionId === event.sessionId) === (event._tag === "ConsoleSessionClosed")
  return {
    ...state,
    sessions: state.sessions.map((session) => (ends(session) ? { ...session, hasEnded: true } : session))
  }
}

export const aggregate: Aggregate<State, Command, Event, never> = {
  category: "ConsoleSessions",
  codec,
  decider: { initial: { sessions: [], passwordKey: null }, decide, evolve }
}
