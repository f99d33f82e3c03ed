/** The bar: a server with little memory, under all of these inputs at once, beside clients who want nothing but their due. */
import * as childProcess from "node:child_process"
import { once } from "node:events"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Inferlog from "#test/src/cli/Inferlog.ts"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as Attacked from "./Attacked.ts"
import { figure } from "./Form.ts"
import { inputs, type Told } from "./Hostile.ts"
import * as Probing from "./Probing.ts"

const lastsMs = figure({ short: 5_000, long: 60_000 })
const quietMs = figure({ short: 2_000, long: 10_000 })

/**
 * A quieter p99 than this is taken for this, ms. The attacker and those who measure share two cores with the server here: the
 * short form, which runs wherever tests run, leaves room for that.
 */
const leastQuietMs = figure({ short: 50, long: 20 })

const attack = async (port: number): Promise<Readonly<Record<string, ReadonlyArray<Told>>>> => {
  const program = path.join(import.meta.dirname, "Attacker.ts")
  const child = childProcess.spawn(
    process.execPath,
    [program, String(port), ServerProcess.apiKey, String(lastsMs)],
    { env: {}, stdio: ["ignore", "pipe", "inherit"] }
  )
  const chunks: Array<Buffer> = []
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk))
  const [code] = await once(child, "close")
  if (code !== 0) throw new Error(`The attacker ended with ${String(code)}`)
  return JSON.parse(Buffer.concat(chunks).toString())
}

const isTold = ({ retryAfter, status }: Told): boolean =>
  status === 503 || status === 429 ? Number(retryAfter) >= 1 : status >= 200 && status < 500

describe(`A: ${inputs.length} hostile inputs at once`, () => {
  it.live("leave the server alive, and honest clients with their answers; what is refused is told so", () =>
    Effect.gen(function* () {
      const dataDirectory = yield* TempDirectory.make
      const port = yield* Effect.promise(ServerProcess.freePort)
      const server = yield* Effect.acquireRelease(
        Effect.promise(() =>
          ServerProcess.start({ dataDirectory, port, env: { NODE_OPTIONS: "--max-old-space-size=512" } })
        ),
        ({ kill }) => Effect.promise(() => kill("SIGKILL"))
      )
      const { url } = server
      const opening = ["accounts", "create", "--name", "honest", "--balance", "1000"]
      const { key } = yield* Inferlog.json(Inferlog.Opened, opening, { DATA_DIR: dataDirectory })
      const honest = { url: `${url}/sandbox/echo`, key }
      const sleep = () => new Promise((resolve) => setTimeout(resolve, quietMs))
      const quiet = yield* Effect.promise(() => Probing.during(honest, sleep))
      let told: Readonly<Record<string, ReadonlyArray<Told>>> = {}
      let busy = quiet
      const health = yield* Effect.promise(() =>
        Probing.during({ url: `${url}/health` }, async () => {
          busy = await Probing.during(honest, async () => {
            told = await attack(port)
          })
        })
      )
      const figures = `honest p50 ${quiet.p50.toFixed(1)} quiet, ${busy.p50.toFixed(1)} busy; p99 ${quiet.p99.toFixed(1)} quiet, ${busy.p99.toFixed(1)} busy; health p99 ${health.p99.toFixed(1)} ms`
      process.stdout.write(`${figures}\n`)
      for (const [name, isRefused] of inputs) {
        const answers = told[name] ?? []
        assert.isNotEmpty(answers, name)
        for (const answer of answers) {
          assert.isTrue(isTold(answer), `${name}: ${JSON.stringify(answer)}`)
          if (isRefused) assert.isAtLeast(answer.status, 400, name)
        }
      }
      assert.isBelow(health.p99, 250, figures)
      assert.isBelow(busy.p99, 5 * Math.max(quiet.p99, leastQuietMs), figures)
      assert.isBelow(Attacked.residentMiB(server.pid, "VmHWM"), 1_000)
      const { status } = yield* Effect.promise(() =>
        Attacked.json(`${url}/sandbox/echo?wait=30`, { method: "POST", body: '{"value":"still here"}' })
      )
      assert.strictEqual(status, "COMPLETED")
    }).pipe(Effect.scoped)
  )
})
