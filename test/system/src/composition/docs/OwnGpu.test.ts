/** Runs the commands of docs/start/own-gpu.md in a separate folder with separate ports. */
import * as childProcess from "node:child_process"
import * as path from "node:path"
import * as readline from "node:readline"
import { promisify } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import { checkout, commandsOf } from "#test/support/src/composition/docs/Commands.ts"

const { apiKey } = ServerProcess

const hasPython =
  childProcess.spawnSync("python3", ["-c", "import sys; assert sys.version_info >= (3, 9)"]).status === 0
const skipped = hasPython ? "" : " (skipped: no python3 of 3.9 or newer here)"

interface Shell {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

const execute = promisify(childProcess.execFile)

const run = ({ cwd, env }: Shell, commands: string) =>
  Effect.promise(() => execute("sh", ["-c", commands], { cwd, env })).pipe(Effect.map(({ stdout }) => stdout))

/** Runs until the scope ends. Returns when it has printed `sign`. */
const terminal = ({ cwd, env }: Shell, commands: string, sign: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const child = childProcess.spawn("sh", ["-c", commands], { cwd, env, detached: true })
      const output: Array<string> = []
      child.stderr.on("data", (text) => output.push(String(text)))
      for await (const line of readline.createInterface({ input: child.stdout })) {
        output.push(line)
        if (line.includes(sign)) return child
      }
      throw new Error(output.join("\n"))
    }),
    (child) => Effect.sync(() => child.pid !== undefined && process.kill(-child.pid, "SIGTERM"))
  )

const answersOf = (text: string): ReadonlyArray<Record<string, unknown>> =>
  [...text.matchAll(/\{"(?:id|modelEndpoint)":.*?\}(?=\{"id"|\n|rq|$)/g)].map(([json]) => JSON.parse(json))

describe(`docs/start/own-gpu.md${skipped}`, () => {
  it.live.skipIf(!hasPython)(
    "runs a model on a worker that the server calls, and on one that fetches its jobs",
    () =>
      Effect.gen(function* () {
        const [port, workerPort] = yield* Effect.promise(() =>
          Promise.all([ServerProcess.freePort(), ServerProcess.freePort()])
        )
        const cwd = yield* checkout
        const [worker = "", manifest = "", serve = "", call = "", pulled = "", ...rest] = commandsOf(
          "docs/start/own-gpu.md"
        ).map((commands) => commands.replaceAll("9000", String(workerPort)))
        assert.deepStrictEqual(rest, [])
        const env = {
          PATH: process.env["PATH"] ?? "",
          HOME: cwd,
          DATA_DIR: path.join(cwd, "data"),
          URL: `http://127.0.0.1:${port}`,
          AUTH: `Authorization: Key ${apiKey}`
        }
        yield* terminal({ cwd, env }, worker, "listening")
        assert.match(yield* run({ cwd, env }, manifest), /^Valid: 1 definition, 0 errors, 0 warnings/)
        const serving = { ...env, PORT: String(port), BOOTSTRAP_API_KEY: apiKey }

        yield* terminal({ cwd, env: serving }, serve, "serves at")

        const called = yield* run({ cwd, env }, call)
        assert.include(called, `"displayName":"Shout"`)
        for (const [answer, modelEndpoint] of [
          [called, "acme/shout"],
          [yield* run({ cwd, env }, pulled), "acme/pulled"]
        ] as const) {
          const result = answersOf(answer).find(({ id }) => id !== undefined)
          assert.deepInclude(result, {
            modelEndpoint,
            status: "COMPLETED",
            billingStatus: "charged",
            output: { text: "HELLO" },
            cost: "0.00005"
          })
        }
      }),
    60_000
  )
})
