/**
 * 1,000 requests of every sandbox model against a real server. The prices in the decisions, the answers to clients,
 * the account's balance and the audit of the log agree to the nano-USD.
 * @cost 1,000 requests of every sandbox model, since rounding shows in sums.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"

const requests = 1_000
const clients = 24

/** nano-USD */
interface Kind {
  readonly model: string
  readonly input: (n: number) => object
  readonly billing: "charged" | "partial" | "failed"
  readonly cost: (n: number) => bigint
  /** Cancelled after it is accepted. */
  readonly cancelled?: boolean
  readonly headers?: Readonly<Record<string, string>>
}

const free = () => 0n
const perRequest = () => 1_000_000n
/** 0.001 per megapixel is 1 nano-USD per pixel. */
const pixels = (width: number, height: number) => BigInt(width * height)

const kinds: ReadonlyArray<Kind> = [
  { model: "echo", input: (n) => ({ value: n }), billing: "charged", cost: perRequest },
  { model: "slow", input: () => ({ seconds: 1 }), billing: "charged", cost: () => 100_000n },
  // A charge that rounds to zero costs the smallest unit.
  { model: "slow", input: () => ({ seconds: 0 }), billing: "charged", cost: () => 1n },
  { model: "fail", input: () => ({}), billing: "failed", cost: free },
  { model: "provider-fail", input: () => ({ message: "no" }), billing: "failed", cost: free },
  { model: "invalid-output", input: () => ({}), billing: "failed", cost: free },
  {
    model: "partial",
    input: (n) => ({ count: 10, deliver: (n % 9) + 1 }),
    billing: "partial",
    cost: (n) => 2_000_000n * BigInt((n % 9) + 1)
  },
  { model: "partial", input: () => ({ count: 3, deliver: 3 }), billing: "charged", cost: () => 6_000_000n },
  { model: "partial", input: () => ({ count: 3, deliver: 0 }), billing: "failed", cost: free },
  { model: "flaky", input: (n) => ({ failures: n % 3 }), billing: "charged", cost: perRequest },
  {
    model: "media",
    input: (n) => ({ width: 7 + (n % 50), height: 13 }),
    billing: "charged",
    cost: (n) => pixels(7 + (n % 50), 13)
  },
  { model: "slow", input: () => ({ seconds: 3_600 }), billing: "failed", cost: free, cancelled: true },
  {
    model: "slow",
    input: () => ({ seconds: 3_600 }),
    billing: "failed",
    cost: free,
    headers: { "cancel-after": "1s" }
  }
]

const kindOf = (n: number): Kind =>
  kinds[n % kinds.length] ?? {
    model: "echo",
    input: () => ({ value: 0 }),
    billing: "charged",
    cost: perRequest
  }

const usd = (text: string): bigint => {
  const [whole = "0", fraction = ""] = text.split(".")
  return BigInt(whole + fraction.padEnd(9, "0"))
}

interface Retrieved {
  readonly status: string
  readonly billingStatus: string
  readonly cost: string
}

const isOver = ({ status }: { readonly status: string }) => !status.startsWith("IN_")

const json = async <Body>(response: Response): Promise<Body> => (await response.json()) as Body

/** Submits request `n` and returns its end. */
const request = async (url: string, n: number): Promise<Retrieved> => {
  const kind = kindOf(n)
  const headers = { ...ServerProcess.authorization, "content-type": "application/json", ...kind.headers }
  const submitted = await fetch(`${url}/sandbox/${kind.model}`, {
    method: "POST",
    headers,
    body: JSON.stringify(kind.input(n))
  })
  assert.strictEqual(submitted.status, 200)
  const { request_id, status_url, cancel_url } = await json<Record<string, string>>(submitted)
  if (kind.cancelled === true) await (await fetch(String(cancel_url), { headers })).arrayBuffer()
  while (!isOver(await json(await fetch(`${status_url}?wait=30`, { headers })))) continue
  return json(await fetch(`${url}/requests/${request_id}`, { headers }))
}

const all = async (url: string): Promise<ReadonlyArray<Retrieved>> => {
  const ends: Array<Retrieved> = []
  let next = 0
  const client = async () => {
    for (let n = next++; n < requests; n = next++) ends[n] = await request(url, n)
  }
  await Promise.all(Array.from({ length: clients }, client))
  return ends
}

const Balance = Schema.Struct({
  balance: Schema.String,
  reserved: Schema.String,
  available: Schema.String
})

describe("1,000 sandbox requests of all kinds", () => {
  it.live(
    "reconcile to the nano-USD",
    () =>
      Effect.gen(function* () {
        const directory = yield* TempDirectory.make
        const server = yield* Effect.acquireRelease(
          Effect.promise(async () =>
            ServerProcess.start({
              dataDirectory: directory,
              port: await ServerProcess.freePort(),
              env: { BOOTSTRAP_BALANCE: "25" }
            })
          ),
          ({ kill }) => Effect.promise(() => kill("SIGKILL"))
        )
        const ends = yield* Effect.promise(() => all(server.url))
        let spent = 0n
        for (const [n, end] of ends.entries()) {
          const { billing, cost, model } = kindOf(n)
          const expected = cost(n)
          assert.deepStrictEqual([n, model, end.billingStatus, usd(end.cost)], [n, model, billing, expected])
          spent += expected
        }
        const settings = { DATA_DIR: directory }
        const balance = yield* Inferlog.json(Balance, ["balance", "show"], settings)
        assert.deepStrictEqual(
          [usd(balance.balance), usd(balance.reserved), usd(balance.available)],
          [usd("25") - spent, 0n, usd("25") - spent]
        )
        const audit = yield* Inferlog.run(["audit", "--format", "csv"], settings)
        assert.strictEqual(audit.code, 0, audit.stderr)
        const journal = audit.stdout.trim().split("\r\n").slice(1)
        const charged = journal.filter((line) => line.includes(",charge,"))
        assert.strictEqual(
          charged.reduce((sum, line) => sum + usd(line.split(",")[4] ?? ""), 0n),
          spent
        )
        assert.strictEqual(charged.length, ends.filter((end) => usd(end.cost) > 0n).length)
      }),
    120_000
  )
})
