/**
 * The first minute of a newcomer: `npm start`, then the printed curl command, unchanged.
 *
 * @process npm, sh: both commands are run as they are printed.
 */
import * as childProcess from "node:child_process"
import * as readline from "node:readline"
import { promisify } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"

const run = promisify(childProcess.execFile)

const npmStart = (dataDirectory: string, port: number) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      childProcess.spawn("npm", ["start"], {
        cwd: ServerProcess.root,
        env: { PATH: process.env["PATH"], HOME: dataDirectory, DATA_DIR: dataDirectory, PORT: String(port) },
        stdio: ["ignore", "pipe", "inherit"],
        detached: true
      })
    ),
    // npm does not forward signals to the server, so the whole process group is ended.
    (child) => Effect.sync(() => child.pid !== undefined && process.kill(-child.pid, "SIGTERM"))
  )

const linesUntilServing = async (child: childProcess.ChildProcess) => {
  const lines: Array<string> = []
  if (child.stdout === null) throw new Error("no stdout")
  for await (const line of readline.createInterface({ input: child.stdout })) {
    lines.push(line)
    if (line.includes(" serves at ")) break
  }
  return lines
}

describe("the first start", () => {
  it.live("prints a curl command that reads the text in a picture", () =>
    Effect.gen(function* () {
      const directory = yield* TempDirectory.make
      const port = yield* Effect.promise(() => ServerProcess.freePort())
      const child = yield* npmStart(directory, port)
      const lines = yield* Effect.promise(() => linesUntilServing(child))
      assert.include(lines.at(-1), `http://127.0.0.1:${port}`)

      const from = lines.findIndex((line) => line.trim().startsWith("curl "))
      const to = lines.findIndex((line, index) => index >= from && !line.endsWith("\\"))
      const curl = lines.slice(from, to + 1).join("\n")
      const { stdout } = yield* Effect.promise(() => run("sh", ["-c", curl], { cwd: ServerProcess.root }))
      const answer = JSON.parse(stdout)
      assert.strictEqual(answer.status, "COMPLETED")
      assert.strictEqual(answer.billingStatus, "charged")
      assert.strictEqual(answer.output.text, "The quick brown fox\njumps over the lazy dog.")
    })
  )
})
