/** The machine of a run. */
import { execFileSync } from "node:child_process"
import * as os from "node:os"
import { DateTime, Effect } from "effect"
import * as Program from "./Program.ts"

export interface Machine {
  readonly cpu: string
  readonly cores: number
  readonly memoryMiB: number
  readonly kernel: string
  readonly node: string
  /** ISO 8601 */
  readonly date: string
  /** Commit of the checkout, with a `+` if files differ from it; `null` without a checkout. */
  readonly commit: string | null
}

const git = (...args: ReadonlyArray<string>): string =>
  execFileSync("git", args, {
    cwd: Program.root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"]
  }).trim()

const commit = (): string | null => {
  try {
    return git("rev-parse", "--short=12", "HEAD") + (git("status", "--porcelain") === "" ? "" : "+")
  } catch {
    return null
  }
}

export const read: Effect.Effect<Machine> = Effect.map(DateTime.now, (now) => ({
  cpu: os.cpus()[0]?.model ?? "unknown",
  cores: os.availableParallelism(),
  memoryMiB: Math.round(os.totalmem() / 2 ** 20),
  kernel: `${os.type()} ${os.release()} ${os.arch()}`,
  node: process.version,
  date: DateTime.formatIso(now),
  commit: commit()
}))
