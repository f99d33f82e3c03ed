/** The judge of the behaviour table finds what clients do wrong. */
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { BehaviourCase } from "#test/support/clients/BehaviourCase.ts"
import type { Driver, DriverClient, Played } from "#test/support/clients/Driver.ts"
import * as FaultyServer from "#test/support/clients/FaultyServer.ts"
import * as Judge from "#test/support/clients/Judge.ts"

const one: BehaviourCase = {
  name: "submits again after 503",
  source: "test",
  call: { do: "submit" },
  exchanges: [
    { request: { method: "POST", path: "/acme/writer", body: { a: 1 } }, answer: { status: 503 } },
    {
      request: { method: "POST", path: "/acme/writer", body: { a: 1 } },
      answer: { status: 200, body: { ok: true } }
    }
  ],
  pauses: [[250, 500]],
  gives: { value: { ok: true } }
}

interface Habits {
  readonly path?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly times?: number
  readonly played?: Partial<Played>
}

/** A client that does as the case says, but for its habits. */
const driverOf = (habits: Habits = {}): Driver => {
  const post = ({ key, url }: DriverClient) =>
    fetch(`${url}${habits.path ?? "/acme/writer"}`, {
      method: "POST",
      headers: {
        authorization: `Key ${String(key)}`,
        "content-type": "application/json",
        "idempotency-key": "k",
        ...habits.headers
      },
      body: JSON.stringify(habits.body ?? { a: 1 })
    }).then((answer) => answer.text())
  return {
    name: "test",
    aborts: false,
    play: async (client) => {
      for (let time = 0; time < (habits.times ?? 2); time++) await post(client)
      return { pauses: [300], value: { ok: true }, ...habits.played }
    }
  }
}

describe("the judge", () => {
  let server: FaultyServer.FaultyServer
  beforeAll(async () => {
    server = await FaultyServer.make()
  })
  afterAll(() => server.close())

  const judged = (habits?: Habits) => Judge.differences(one, driverOf(habits), server, 1, 50)

  it("finds nothing where a client does as the case says", async () => {
    assert.deepStrictEqual(await judged(), [])
  })

  const wrongs: ReadonlyArray<readonly [what: string, habits: Habits, complaint: RegExp]> = [
    ["another path", { path: "/acme/other" }, /came: POST \/acme\/other/],
    ["another body", { body: { a: 2 } }, /body\.a: expected 1, got 2/],
    ["one request more", { times: 3 }, /came: .* expected: nothing/],
    ["one request less", { times: 1 }, /did not come: POST/],
    ["another key", { headers: { authorization: "Key other" } }, /Authorization is Key other/],
    ["an empty Idempotency-Key", { headers: { "idempotency-key": "" } }, /no Idempotency-Key/],
    ["no JSON", { headers: { "content-type": "text/plain" } }, /no JSON/],
    ["a short pause", { played: { pauses: [200] } }, /pauses: expected/],
    ["no pause", { played: { pauses: [] } }, /pauses: expected/],
    ["another value", { played: { value: { ok: false } } }, /value\.ok: expected true, got false/],
    ["more of a value", { played: { value: { ok: true, more: 1 } } }, /value\.more: expected nothing/],
    ["an error", { played: { error: { classes: ["ApiError"], message: "No." } } }, /got ApiError: No\./],
    ["an abort", { played: { aborted: true } }, /aborted: true/]
  ]
  for (const [what, habits, complaint] of wrongs)
    it(`finds ${what}`, async () => {
      assert.match((await judged(habits)).join("\n"), complaint)
    })

  it("finds a key at another server", async () => {
    const elsewhere: BehaviourCase = {
      ...one,
      exchanges: [
        {
          request: { at: "other", method: "POST", path: "/acme/writer" },
          answer: { status: 200, body: { ok: true } }
        }
      ]
    }
    const driver = driverOf({ times: 1 })
    const there: Driver = {
      ...driver,
      play: (client, ...rest) => driver.play({ ...client, url: server.origin("other") }, ...rest)
    }
    assert.match((await Judge.differences(elsewhere, there, server, 1)).join("\n"), /has the key/)
  })
})
