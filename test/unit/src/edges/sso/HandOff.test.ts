/** The code that a browser brings to a command line. */
import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import * as HandOff from "#src/edges/sso/HandOff.ts"

const verifier = "v".repeat(43)
const waiting = { port: 40_000, challenge: HandOff.challengeOf(verifier) }
const session = { token: "oi_x.y:z", operatorId: "oi_x", name: "Ada", role: "owner", expiresAt: 9_000_000 }
const made = 1_000_000
const lifeMs = 300_000

describe("The code of a hand-off", () => {
  const { codeOf, sessionOf } = HandOff.make(Buffer.alloc(32, 1))
  const code = codeOf(session, waiting, made)

  it("stands for the session for five minutes", () => {
    assert.deepStrictEqual(sessionOf(code, verifier, made + lifeMs - 1), Option.some(session))
    assert.deepStrictEqual(sessionOf(code, verifier, made + lifeMs), Option.none())
  })

  it("is worth nothing with another secret, or on a server with another key", () => {
    assert.deepStrictEqual(sessionOf(code, "w".repeat(43), made), Option.none())
    const other = HandOff.make(Buffer.alloc(32, 2))
    assert.deepStrictEqual(other.sessionOf(code, verifier, made), Option.none())
  })

  it("shows neither the session nor its token", () => {
    assert.notInclude(Buffer.from(code, "base64url").toString("latin1"), session.token)
  })

  it("goes to ports of programs, for a whole challenge only", () => {
    const of = (query: Record<string, string>) => HandOff.waitingOf(new URLSearchParams(query))
    const { challenge } = waiting
    assert.deepStrictEqual(of({ port: "40000", challenge }), Option.some(waiting))
    for (const port of ["80", "65536", "x", "4e4.5", ""]) {
      assert.deepStrictEqual(of({ port, challenge }), Option.none(), port)
    }
    assert.deepStrictEqual(of({ port: "40000", challenge: challenge.slice(1) }), Option.none())
    assert.deepStrictEqual(of({ port: "40000" }), Option.none())
  })
})
