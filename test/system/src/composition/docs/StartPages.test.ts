/**
 * Runs the commands of docs/start against a separate server.
 * @first It takes long, so at the end it would run alone.
 */
import * as childProcess from "node:child_process"
import * as path from "node:path"
import { promisify } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import { checkout, commandsOf } from "#test/support/src/composition/docs/Commands.ts"

const { apiKey } = ServerProcess

const execute = promisify(childProcess.execFile)

/** The output of the blocks, run in order in one shell. */
const run = (blocks: ReadonlyArray<string>, cwd: string, port: number) => {
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: cwd,
    PORT: String(port),
    DATA_DIR: path.join(cwd, "data"),
    BOOTSTRAP_API_KEY: apiKey,
    KEY: apiKey,
    URL: `http://127.0.0.1:${port}`,
    AUTH: `Authorization: Key ${apiKey}`
  }
  return Effect.promise(() => execute("sh", ["-c", blocks.join("\n")], { cwd, env })).pipe(
    Effect.map(({ stdout }) => stdout)
  )
}

const server = (dataDirectory: string, port: number) =>
  Effect.acquireRelease(
    Effect.promise(() => ServerProcess.start({ dataDirectory, port })),
    ({ kill }) => Effect.promise(() => kill("SIGTERM"))
  )

describe("docs/start", () => {
  it.live(
    "requests.md submits, follows, cancels and lists requests",
    () =>
      Effect.gen(function* () {
        const port = yield* Effect.promise(() => ServerProcess.freePort())
        const cwd = yield* checkout
        yield* server(path.join(cwd, "data"), port)
        const [variables = "", ...blocks] = commandsOf("docs/start/requests.md")
        assert.include(variables, "KEY='<API_KEY>'")

        const printed = yield* run(blocks, cwd, port)

        for (const part of [
          `"status":"IN_QUEUE"`,
          `"status":"IN_PROGRESS"`,
          `"metadata":{"customer":"c-42"}`,
          `"type":"RequestCancelled"`,
          `"available":`,
          `"name":"reader"`,
          `"modelEndpoint":"vision/resize"`,
          `http://127.0.0.1:${port}/media/`
        ])
          assert.include(printed, part)
      }),
    90_000
  )

  it.live(
    "crash.md finds the request again after the kill",
    () =>
      Effect.gen(function* () {
        const port = yield* Effect.promise(() => ServerProcess.freePort())
        const printed = yield* run(commandsOf("docs/start/crash.md"), yield* checkout, port)
        assert.include(printed, `"status":"COMPLETED"`)
        assert.include(printed, `"billingStatus":"charged"`)
      }),
    90_000
  )
})
