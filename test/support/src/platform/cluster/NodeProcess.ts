/** A node as a separate process that can be paused and killed. Killed with the scope. */
import * as childProcess from "node:child_process"
import { once } from "node:events"
import * as path from "node:path"
import * as readline from "node:readline"
import { Effect } from "effect"
import { pause } from "#test/support/servers/Pause.ts"

const program = path.join(import.meta.dirname, "HeldNode.ts")

export interface NodeOptions {
  readonly url: string
  readonly prefix: string
}

export const start = Effect.fnUntraced(function* ({ prefix, url }: NodeOptions) {
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      childProcess.spawn(process.execPath, [program, url, prefix], { stdio: ["ignore", "pipe", "inherit"] })
    ),
    (child) => Effect.sync(() => void child.kill("SIGKILL"))
  )
  const lines: Array<string> = []
  const output = readline.createInterface({ input: child.stdout }).on("line", (line) => lines.push(line))
  yield* Effect.promise(() => once(output, "line"))
  const signal = (name: NodeJS.Signals) => Effect.sync(() => void child.kill(name))
  return {
    name: lines[0] ?? "",
    /** The live nodes at each change so far. */
    seen: () =>
      lines
        .slice(1)
        .filter((line) => line.startsWith("node_"))
        .map((line) => line.split(",")),
    pause: pause(child.pid ?? 0),
    resume: signal("SIGCONT"),
    kill: signal("SIGKILL")
  }
})
