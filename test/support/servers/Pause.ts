/** Pauses a process: its connections stay open, and it answers nothing. */
import * as fs from "node:fs"
import { Effect } from "effect"
import * as Until from "../Until.ts"

/** The state of a thread follows its name in brackets (proc_pid_stat(5)). */
const isStopped = (stat: string): boolean => /^[Tt]/.test(stat.slice(stat.lastIndexOf(")") + 2))

const isHeld = (pid: number): boolean => {
  const tasks = `/proc/${pid}/task`
  // Other systems do not report this, so the signal must suffice.
  if (!fs.existsSync(tasks)) return true
  return fs.readdirSync(tasks).every((task) => isStopped(fs.readFileSync(`${tasks}/${task}/stat`, "utf8")))
}

/**
 * Sends SIGSTOP and waits until each thread has stopped. The signal takes effect only when a thread runs, so on a
 * busy machine others might go on answering.
 */
export const pause = (pid: number): Effect.Effect<void> =>
  Effect.andThen(
    Effect.sync(() => process.kill(pid, "SIGSTOP")),
    Until.answers(async () => {
      if (!isHeld(pid)) throw new Error("Still running")
    })
  )
