/** The commands of our program. */
import * as childProcess from "node:child_process"
import { once } from "node:events"
import { Effect } from "effect"
import * as Program from "../harness/Program.ts"
import { BenchFailed } from "../harness/Subject.ts"

/** Runs a command until it has ended. Fails unless it exits with 0. */
export const run = (args: ReadonlyArray<string>, dataDirectory: string) =>
  Effect.tryPromise({
    try: async () => {
      const child = childProcess.spawn(process.execPath, ["bin/inferlog.js", ...args], {
        cwd: Program.root,
        env: { PATH: process.env["PATH"], DATA_DIR: dataDirectory },
        stdio: "ignore"
      })
      const [code] = await once(child, "exit")
      if (code !== 0) throw new Error(`it ended with ${code}`)
    },
    catch: (cause) => new BenchFailed({ reason: `inferlog ${args.join(" ")}: ${String(cause)}` })
  })
