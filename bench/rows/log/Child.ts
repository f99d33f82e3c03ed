/** A subject in its own process, so that its CPU time and memory can be measured. */
import * as childProcess from "node:child_process"
import { once } from "node:events"
import * as path from "node:path"
import { Effect, Schema, type Scope } from "effect"
import { NodeFlags } from "../../harness/NodeFlags.ts"
import { BenchFailed, type Started, type Subject } from "../../harness/Subject.ts"

const Answer = Schema.Struct({
  operations: Schema.Number,
  elapsedMs: Schema.Number,
  latencyMs: Schema.optionalKey(Schema.Struct({ p50: Schema.Number, p99: Schema.Number })),
  cpuMs: Schema.Number,
  peakRssBytes: Schema.Number
})
const decode = Schema.decodeUnknownSync(Answer)

/** `entry` is a program that calls `Work.serve` and reads `args` from `process.argv`. */
export const subject = (options: {
  readonly name: string
  readonly role: Subject["role"]
  readonly entry: URL
  readonly args?: ReadonlyArray<string>
  /** Runs before the process starts. */
  readonly prepare?: Effect.Effect<unknown, BenchFailed>
}): Subject => ({
  name: options.name,
  role: options.role,
  start: Effect.andThen(options.prepare ?? Effect.void, start(options.entry, options.args))
})

export interface StartedChild extends Started {
  readonly pid: number
}

/** Sent when the process is ready. */
export const start = Effect.fnUntraced(function* (
  entry: URL,
  args: ReadonlyArray<string> = []
): Effect.fn.Return<StartedChild, BenchFailed, Scope.Scope> {
  const execArgv = yield* NodeFlags
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => childProcess.fork(entry, args, { execArgv: [...execArgv] })),
    (child) => Effect.promise(() => (execArgv.length === 0 ? end(child) : leave(child)))
  )
  yield* answerOf(child)
  return {
    pid: child.pid ?? 0,
    measure: (seconds) =>
      Effect.andThen(
        Effect.sync(() => child.send(seconds)),
        Effect.map(answerOf(child), decode)
      )
  }
})

/** Runs a program and fails unless it exits with 0. */
export const run = (entry: URL, args: ReadonlyArray<string>): Effect.Effect<void, BenchFailed> =>
  Effect.callback((resume) => {
    const child = childProcess.fork(entry, args)
    child.once("exit", (code) => {
      const reason = `${path.basename(entry.pathname)} ended with ${code}`
      resume(code === 0 ? Effect.void : Effect.fail(new BenchFailed({ reason })))
    })
    return Effect.promise(() => end(child))
  })

const answerOf = (child: childProcess.ChildProcess): Effect.Effect<unknown, BenchFailed> =>
  Effect.callback((resume) => {
    const answered = (message: unknown) => {
      child.off("exit", exited)
      resume(Effect.succeed(message))
    }
    const exited = (code: number | null) => {
      child.off("message", answered)
      resume(Effect.fail(new BenchFailed({ reason: `The process ended with ${code}` })))
    }
    child.once("message", answered)
    child.once("exit", exited)
  })

/** Lets the process write its profile. */
const leave = async (child: childProcess.ChildProcess) => {
  if (!child.connected) return
  child.disconnect()
  await once(child, "exit")
}

const end = async (child: childProcess.ChildProcess) => {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill("SIGKILL")
  await once(child, "exit")
}
