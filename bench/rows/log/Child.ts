/** A subject that works in a process of its own, so that its CPU time and memory are its own. */
import * as childProcess from "node:child_process"
import { once } from "node:events"
import { Effect, Schema } from "effect"
import { BenchFailed, type Subject } from "../../harness/Subject.ts"

const Answer = Schema.Struct({
  operations: Schema.Number,
  elapsedMs: Schema.Number,
  cpuMs: Schema.Number,
  peakRssBytes: Schema.Number
})
const decode = Schema.decodeUnknownSync(Answer)

/** `entry` calls `Work.serve`; it finds `args` in `process.argv`. */
export const subject = (options: {
  readonly name: string
  readonly role: Subject["role"]
  readonly entry: URL
  readonly args?: ReadonlyArray<string>
  /** Done before the process is started. */
  readonly prepare?: Effect.Effect<unknown, BenchFailed>
}): Subject => ({
  name: options.name,
  role: options.role,
  start: Effect.gen(function* () {
    yield* options.prepare ?? Effect.void
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => childProcess.fork(options.entry, options.args ?? [])),
      (child) => Effect.promise(() => end(child))
    )
    yield* answerOf(child)
    return {
      measure: (seconds) =>
        Effect.andThen(
          Effect.sync(() => child.send(seconds)),
          Effect.map(answerOf(child), decode)
        )
    }
  })
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

const end = async (child: childProcess.ChildProcess) => {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill("SIGKILL")
  await once(child, "exit")
}
