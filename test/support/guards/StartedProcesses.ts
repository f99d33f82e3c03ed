/** Sees each process that this process starts, by whichever function of `node:child_process`, before it starts. */
import * as childProcess from "node:child_process"
import { createRequire, syncBuiltinESMExports } from "node:module"

export interface Started {
  readonly program: string
  readonly args: ReadonlyArray<string>
}

/** Throws to refuse the start. Returns what to call when the process has ended. */
type Starting = (started: Started) => () => void

const shared: { starting?: Starting | undefined; isInstalled?: true } = ((
  globalThis as { [key: symbol]: object }
)[Symbol.for("inferlog/test/StartedProcesses")] ??= {})

const install = () => {
  const exported = createRequire(import.meta.url)("node:child_process") as {
    -readonly [Name in keyof typeof childProcess]: (typeof childProcess)[Name]
  }
  // `spawn`, `exec`, `execFile` and `fork` end here, with the name of the program.
  const prototype = childProcess.ChildProcess.prototype as unknown as {
    spawn: (
      this: childProcess.ChildProcess,
      options: { readonly file: string; readonly args?: ReadonlyArray<string> }
    ) => unknown
  }
  const { spawn } = prototype
  prototype.spawn = function (options) {
    const ended = shared.starting?.({ program: options.file, args: options.args ?? [] })
    if (ended !== undefined) this.once("exit", ended).once("error", ended)
    return spawn.call(this, options)
  }
  for (const name of ["spawnSync", "execFileSync", "execSync"] as const) {
    const start = exported[name] as (program: string, ...rest: ReadonlyArray<unknown>) => unknown
    const guarded = (program: string, ...rest: ReadonlyArray<unknown>) => {
      const ended = shared.starting?.({ program, args: [] })
      try {
        return start(program, ...rest)
      } finally {
        ended?.()
      }
    }
    Object.assign(exported, { [name]: guarded })
  }
  syncBuiltinESMExports()
}

/** From now on, `starting` is called before each start. */
export const watch = (starting: Starting): void => {
  if (shared.isInstalled === undefined) install()
  shared.isInstalled = true
  shared.starting = starting
}

export const unwatch = (): void => void (shared.starting = undefined)
