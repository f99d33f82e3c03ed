import { describe, it } from "@effect/vitest"
import * as OperatorIdentity from "#domain/operator-identity/OperatorIdentity.ts"
import { given } from "#test/support/Scenario.ts"

const { aggregate, mostSessions, openSession } = OperatorIdentity

const signIn = (sessionId: string, role: "viewer" | "owner" = "owner") => ({
  at: 1_000,
  issuer: "https://id.test",
  subject: "ada",
  name: "Ada",
  role,
  sessionId,
  secretHash: "hash",
  expiresAt: 9_000
})
const signedIn = (sessionId: string, role?: "viewer" | "owner") =>
  ({ _tag: "OperatorSignedIn", ...signIn(sessionId, role) }) as const

const isOpen = (sessionId: string, now: number) => (state: OperatorIdentity.State) =>
  openSession(state, sessionId, now) !== null

describe("An operator by single sign-on", () => {
  it("opens a session once for a sign-in, until it expires", () => {
    given(aggregate)
      .when({ _tag: "SignIn", signIn: signIn("a") })
      .expectEvents(signedIn("a"))
      .expectState(isOpen("a", 8_999))
      .expectState((state) => !isOpen("a", 9_000)(state))
    given(aggregate, [signedIn("a"), { _tag: "OperatorSignedOut", at: 2_000, sessionId: "a" }])
      .when({ _tag: "SignIn", signIn: signIn("a") })
      .expectRejection("SignInRepeated")
  })

  it("signs one session out, and repeating it changes nothing", () => {
    const signOut = { _tag: "SignOut", at: 2_000, sessionId: "a" } as const
    const signedOut = { ...signOut, _tag: "OperatorSignedOut" } as const
    given(aggregate, [signedIn("a"), signedIn("b")])
      .when(signOut)
      .expectEvents(signedOut)
      .expectState((state) => !isOpen("a", 3_000)(state) && isOpen("b", 3_000)(state))
    given(aggregate, [signedIn("a"), signedOut])
      .when(signOut)
      .expectNothing()
  })

  it("has the role of the last sign-in, and loses all sessions with it", () => {
    const end = { _tag: "EndSessions", at: 2_000, reason: "role_lost" } as const
    const ended = { ...end, _tag: "OperatorSessionsEnded" } as const
    given(aggregate, [signedIn("a"), signedIn("b", "viewer")])
      .when(end)
      .expectEvents(ended)
      .expectState((state) => state._tag === "Known" && state.role === "viewer")
      .expectState((state) => !isOpen("a", 3_000)(state) && !isOpen("b", 3_000)(state))
    given(aggregate).when(end).expectNothing()
    given(aggregate, [signedIn("a"), ended])
      .when(end)
      .expectNothing()
  })

  it("ends the oldest session when there are too many", () => {
    given(
      aggregate,
      Array.from({ length: mostSessions }, (_, index) => signedIn(`s${index}`))
    )
      .when({ _tag: "SignIn", signIn: signIn("more") })
      .expectEvents(signedIn("more"))
      .expectState((state) => !isOpen("s0", 3_000)(state))
      .expectState((state) => isOpen("s1", 3_000)(state) && isOpen("more", 3_000)(state))
  })
})
