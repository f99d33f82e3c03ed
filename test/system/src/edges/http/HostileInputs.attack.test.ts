/**
 * All hostile inputs at once against a server with little memory, while honest clients use it.
 * @alone It checks times or memory against limits.
 * @cost 66 hostile inputs at once beside honest clients, against a server with little memory.
 */
import * as childProcess from "node:child_process"
import { once } from "node:events"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as Attacked from "#test/support/attacks/Attacked.ts"
import { figure } from "#test/support/attacks/Form.ts"
import { inputs, type Answer } from "#test/support/attacks/Hostile.ts"
import * as Probing from "#test/support/attacks/Probing.ts"

const lastsMs = figure({ short: 5_000, long: 60_000 })
const quietMs = figure({ short: 2_000, long: 10_000 })

/**
 * The least p99 without an attack that comparisons assume, ms. The attacker, the probes and the server may share two cores,
 * so the short form, which runs on any machine, allows more.
 */
const leastQuietMs = figure({ short: 50, long: 20 })

const attack = async (port: number): Promise<Readonly<Record<string, ReadonlyArray<Answer>>>> => {
  const program = path.join(import.meta.dirname, "../../../../support/attacks/Attacker.ts")
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

const isAcceptable = ({ retryAfter, status }: Answer): boolean =>
  status === 503 || status === 429 ? Number(retryAfter) >= 1 : status >= 200 && status < 500

describe(`A: ${inputs.length} hostile inputs at once`, () => {
  it.live(
    "leave the server alive, honest clients get their answers, and rejections have a proper status",
    () =>
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
        let answersByName: Readonly<Record<string, ReadonlyArray<Answer>>> = {}
        let busy = quiet
        const health = yield* Effect.promise(() =>
          Probing.during({ url: `${url}/health` }, async () => {
            busy = await Probing.during(honest, async () => {
              answersByName = await attack(port)
            })
          })
        )
        const figures = `honest p50 ${quiet.p50.toFixed(1)} quiet, ${busy.p50.toFixed(1)} busy; p99 ${quiet.p99.toFixed(1)} quiet, ${busy.p99.toFixed(1)} busy; health p99 ${health.p99.toFixed(1)} ms`
        process.stdout.write(`${figures}\n`)
        for (const [name, isRefused] of inputs) {
          const answers = answersByName[name] ?? []
          assert.isNotEmpty(answers, name)
          for (const answer of answers) {
            assert.isTrue(isAcceptable(answer), `${name}: ${JSON.stringify(answer)}`)
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
