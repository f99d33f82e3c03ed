import { describe, it } from "@effect/vitest"
import * as ConsoleSessions from "#domain/console-sessions/ConsoleSessions.ts"
import { KeyId } from "#domain/Ids.ts"
import { given } from "#test/support/Scenario.ts"

const { aggregate, mostSessions, openSession, openSessions } = ConsoleSessions

const session = (sessionId: string) => ({
  at: 1_000,
  sessionId,
  secretHash: "hash",
  opener: { _tag: "Key", keyId: KeyId.make("key"), keyHash: "hash of the key" } as const,
  browser: "Firefox on Linux",
  expiresAt: 9_000
})
const opened = (sessionId: string) => ({ _tag: "ConsoleSessionOpened", ...session(sessionId) }) as const

const isOpen = (sessionId: string, now: number) => (state: ConsoleSessions.State) =>
  openSession(state, sessionId, now) !== null

describe("The console's sessions of a holder", () => {
  it("open until they expire, several at a time, the newest first", () => {
    given(aggregate, [opened("a")])
      .when({ _tag: "Open", session: session("b") })
      .expectEvents(opened("b"))
      .expectState((state) => isOpen("a", 8_999)(state) && isOpen("b", 8_999)(state))
      .expectState((state) => !isOpen("a", 9_000)(state) && openSessions(state, 9_000).length === 0)
      .expectState((state) => openSessions(state, 2_000)[0]?.sessionId === "b")
  })

  it("close one at a time, and repeating it changes nothing", () => {
    const close = { _tag: "Close", at: 2_000, sessionId: "a", reason: "signed_out" } as const
    const closed = { ...close, _tag: "ConsoleSessionClosed" } as const
    given(aggregate, [opened("a"), opened("b")])
      .when(close)
      .expectEvents(closed)
      .expectState((state) => !isOpen("a", 3_000)(state) && isOpen("b", 3_000)(state))
    given(aggregate, [opened("a"), closed])
      .when(close)
      .expectNothing()
    given(aggregate).when(close).expectNothing()
  })

  it("end all but one", () => {
    const end = { _tag: "EndOthers", at: 2_000, sessionId: "b" } as const
    const ended = { ...end, _tag: "OtherConsoleSessionsEnded" } as const
    given(aggregate, [opened("a"), opened("b"), opened("c")])
      .when(end)
      .expectEvents(ended)
      .expectState((state) => isOpen("b", 3_000)(state))
      .expectState((state) => !isOpen("a", 3_000)(state) && !isOpen("c", 3_000)(state))
    given(aggregate, [opened("a"), opened("b"), ended])
      .when(end)
      .expectNothing()
  })

  it("take the place of one that is over when there are too many", () => {
    const all = Array.from({ length: mostSessions }, (_, index) => opened(`s${index}`))
    const closed = { _tag: "ConsoleSessionClosed", at: 1_000, sessionId: "s7", reason: "signed_out" } as const
    given(aggregate, [...all, closed])
      .when({ _tag: "Open", session: session("more") })
      .expectEvents(opened("more"))
      .expectState((state) => isOpen("s0", 3_000)(state) && isOpen("more", 3_000)(state))
      .expectState(({ sessions }) => sessions.length === mostSessions)
  })

  it("end the oldest when there are too many", () => {
    given(
      aggregate,
      Array.from({ length: mostSessions }, (_, index) => opened(`s${index}`))
    )
      .when({ _tag: "Open", session: session("more") })
      .expectEvents(opened("more"))
      .expectState((state) => !isOpen("s0", 3_000)(state))
      .expectState((state) => isOpen("s1", 3_000)(state) && isOpen("more", 3_000)(state))
  })
})
