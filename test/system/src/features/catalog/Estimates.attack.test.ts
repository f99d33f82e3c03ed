/**
 * Price estimates are free, so many of them must not delay paid requests.
 * @alone It checks times or memory against limits.
 * @cost An attack by expressions that compute as long as they may.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as Attacked from "#test/support/attacks/Attacked.ts"
import { figure } from "#test/support/attacks/Form.ts"

/** The input decides how long the price expression takes. */
const manifest = {
  kind: "model",
  name: "acme/priced",
  displayName: "Priced",
  description: "A price computed by an expression.",
  category: "utility",
  provider: { adapter: "pull" },
  pricing: {
    unit: "image",
    unitPrice: "0.001",
    quantity: "$count($map([1..rounds], function($i) { $i * 2 })) > 0 ? 1 : 1"
  },
  inputSchema: {
    type: "object",
    required: ["rounds"],
    properties: { rounds: { type: "integer", minimum: 1, maximum: 100_000 } }
  },
  outputSchema: { type: "object" },
  exampleInput: { rounds: 1 }
}

const roundsMs = figure({ short: 2_500, long: 15_000 })
const quietMs = figure({ short: 1_000, long: 1_500 })

/** Sends estimates until the time is over, and counts the answers by status. */
const flood = async (url: string, body: string, headers: Record<string, string>, until: number) => {
  const statuses = new Map<number, number>()
  while (performance.now() < until) {
    const answer = await fetch(`${url}/pricing/estimate`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body
    })
    await answer.arrayBuffer()
    const { status } = answer
    if (status !== 200) {
      // 400: the expression exceeded its time limit.
      assert.include([400, 413, 429, 503], status)
      if (status === 429 || status === 503) assert.match(answer.headers.get("retry-after") ?? "", /^\d+$/)
      // The attacker must not use all of this machine.
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  return statuses
}

/** Times of sequential paid submits in ms, sorted ascending. */
const submits = async (url: string, model: string, input: unknown, until: number) => {
  const times: Array<number> = []
  while (performance.now() < until) {
    const began = performance.now()
    await Attacked.json(`${url}/${model}`, { method: "POST", body: JSON.stringify(input) })
    times.push(performance.now() - began)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return times.toSorted((a, b) => a - b)
}

const at = (times: ReadonlyArray<number>, part: number) => times[Math.floor(times.length * part)] ?? NaN

const median = (times: ReadonlyArray<number>) => at(times, 0.5)

const started = Effect.gen(function* () {
  const folder = yield* TempDirectory.make
  fs.writeFileSync(path.join(folder, "priced.json"), JSON.stringify(manifest))
  const server = yield* Attacked.server({ MODELS_DIR: folder })
  // The server reads the folder after it has started to serve.
  yield* Effect.promise(async () => {
    while (!(await fetch(`${server.url}/models/acme/priced`)).ok) {
      if ((await Promise.race([server.exited, undefined])) !== undefined) throw new Error(server.output())
    }
  })
  return server
})

const figures = (name: string, quiet: ReadonlyArray<number>, busy: ReadonlyArray<number>) =>
  `${name}: p50 ${median(quiet).toFixed(1)} quiet, ${median(busy).toFixed(1)} ms under attack; p99 ${at(quiet, 0.99).toFixed(1)}, ${at(busy, 0.99).toFixed(1)} ms`

const check = async (
  url: string,
  model: string,
  input: unknown,
  attack: (until: number) => ReadonlyArray<Promise<ReadonlyMap<number, number>>>
) => {
  const quiet = await submits(url, model, input, performance.now() + quietMs)
  const until = performance.now() + roundsMs
  const [busy, ...answers] = await Promise.all([submits(url, model, input, until), ...attack(until)])
  assert.isBelow(median(busy), Math.max(5 * median(quiet), 500), figures(model, quiet, busy))
  assert.isBelow(at(busy, 0.99), Math.max(5 * at(quiet, 0.99), 3_000), figures(model, quiet, busy))
  const all = new Map<number, number>()
  for (const counts of answers) {
    for (const [status, count] of counts) all.set(status, (all.get(status) ?? 0) + count)
  }
  return all
}

describe("A6: price estimates that compete with a paying client", () => {
  it.live("with slow price expressions do not delay submits of the same model", () =>
    Effect.gen(function* () {
      const { url } = yield* started
      const body = JSON.stringify({ modelEndpoint: "acme/priced", input: { rounds: 15_000 } })
      const answers = yield* Effect.promise(() =>
        check(url, "acme/priced", { rounds: 1 }, (until) =>
          Array.from({ length: 60 }, (_, number) =>
            flood(url, body, number % 2 === 0 ? {} : ServerProcess.authorization, until)
          )
        )
      )
      assert.isAbove((answers.get(200) ?? 0) + (answers.get(400) ?? 0), 0)
      assert.isAbove((answers.get(503) ?? 0) + (answers.get(429) ?? 0), 0)
    }).pipe(Effect.scoped)
  )

  it.live("of a megabyte are rejected without a key and rate-limited with one", () =>
    Effect.gen(function* () {
      const { url } = yield* started
      const value = Array.from({ length: 20_000 }, (_, number) => ({ text: `number ${number} of many` }))
      const body = JSON.stringify({ modelEndpoint: "sandbox/echo", input: { value } })
      const answers = yield* Effect.promise(() =>
        check(url, "sandbox/echo", { value: 1 }, (until) => [
          ...Array.from({ length: 8 }, () => flood(url, body, {}, until)),
          ...Array.from({ length: 8 }, () => flood(url, body, ServerProcess.authorization, until))
        ])
      )
      for (const status of [200, 413, 429]) assert.isAbove(answers.get(status) ?? 0, 0, `${status}`)
      const { status } = yield* Effect.promise(() => fetch(`${url}/health`))
      assert.strictEqual(status, 200)
    }).pipe(Effect.scoped)
  )
})
