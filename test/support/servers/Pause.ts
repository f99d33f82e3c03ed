/** Holds a process: its connections stay open, and nothing is answered. */
import * as fs from "node:fs"
import { Effect } from "effect"
import * as Until from "./Until.ts"

/** State of a thread, after its name in brackets (proc_pid_stat(5)). */
const isStopped = (stat: string): boolean => /^[Tt]/.test(stat.slice(stat.lastIndexOf(")") + 2))

const isHeld = (pid: number): boolean => {
  const tasks = `/proc/${pid}/task`
  // Other systems do not say; there the signal has to do.
  if (!fs.existsSync(tasks)) return true
  return fs.readdirSync(tasks).every((task) => isStopped(fs.readFileSync(`${tasks}/${task}/stat`, "utf8")))
}

/**
 * SIGSTOP, and waits until each thread is held: the signal stops the others only once one of them has had a turn, and on a
 * busy machine they go on answering until then.
 */
export const pause = (pid: number): Effect.Effect<void> =>
  Effect.andThen(
    Effect.sync(() => process.kill(pid, "SIGSTOP")),
    Until.answers(async () => {
      if (!isHeld(pid)) throw new Error("Still running")
    })
  )
