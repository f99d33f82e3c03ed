/**
 * Proofs of the log in a process of their own, which reads beside the server at low priority: a whole verify takes minutes
 * to an hour of computing, which must not slow requests down. One at a time on each node.
 */
import * as childProcess from "node:child_process"
import * as os from "node:os"
import type { Readable } from "node:stream"
import { Clock, Context, Effect, Layer, Result, Schema, Stream } from "effect"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"

/** The arguments with which Node runs this program. */
export const Program = Context.Reference<ReadonlyArray<string>>("inferlog/src/edges/admin/log/Program", {
  defaultValue: () => [...process.execArgv, process.argv[1] ?? ""]
})

/** Characters of the program's output, and of its messages. */
const mostOutput = 4 * 1_024 * 1_024
const mostMessages = 16 * 1_024

const heartbeat = "5 seconds"

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

const line = (value: object): string => `${JSON.stringify(value)}\n`

const parse = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Unknown))

/** `report` is the JSON of the command, or its text. */
const resultOf = ({ code, stderr, stdout }: Ended): string =>
  line({
    type: "result",
    ok: code === 0,
    report: Result.getOrElse(parse(stdout), () => stdout),
    message: stderr.trim()
  })

/** Ends the process when the scope ends, which it does when the client leaves. */
const started = (directory: string, program: ReadonlyArray<string>, args: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = childProcess.spawn(process.execPath, [...program, ...args], {
        env: { ...process.env, DATA_DIR: directory },
        stdio: ["ignore", "pipe", "pipe"]
      })
      if (child.pid !== undefined) os.setPriority(child.pid, os.constants.priority.PRIORITY_LOW)
      return child
    }),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )

const endOf = (child: childProcess.ChildProcessByStdio<null, Readable, Readable>) =>
  Effect.callback<Ended>((resume) => {
    let stdout = ""
    let stderr = ""
    child.stdout
      .setEncoding("utf8")
      .on("data", (text) => (stdout = (stdout + String(text)).slice(0, mostOutput)))
    child.stderr
      .setEncoding("utf8")
      .on("data", (text) => (stderr = (stderr + String(text)).slice(-mostMessages)))
    child.once("error", (error) => resume(Effect.succeed({ code: null, stdout, stderr: error.message })))
    child.once("close", (code) => resume(Effect.succeed({ code, stdout, stderr })))
  })

const busy = ErrorAnswer.coded(409, "PROOF_RUNNING", "This node runs another verify or audit.")

const late = resultOf({ code: null, stdout: "", stderr: String(busy.error) })

export class Proofs extends Context.Service<
  Proofs,
  {
    /** Runs the program with these arguments. Lines of JSON: `running` every five seconds, then the `result`. */
    prove(args: ReadonlyArray<string>): Effect.Effect<Stream.Stream<string>, ErrorAnswer.ErrorAnswer>
  }
>()("inferlog/src/edges/admin/log/Proofs") {
  static readonly layer = Layer.effect(
    Proofs,
    Effect.gen(function* () {
      const directory = yield* DataDirectory
      const program = yield* Program
      const clock = yield* Clock.Clock
      let isRunning = false

      const linesOf = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
        // Another one may have begun since its answer began.
        if (isRunning) return Stream.make(late)
        yield* Effect.acquireRelease(
          Effect.sync(() => {
            isRunning = true
          }),
          () =>
            Effect.sync(() => {
              isRunning = false
            })
        )
        const began = clock.currentTimeMillisUnsafe()
        const child = yield* started(directory, program, args)
        const running = Stream.tick(heartbeat).pipe(
          Stream.map(() => line({ type: "running", elapsedMs: clock.currentTimeMillisUnsafe() - began }))
        )
        const ended = Stream.fromEffect(Effect.map(endOf(child), resultOf))
        return Stream.merge(running, ended, { haltStrategy: "right" })
      })

      return Proofs.of({
        prove: (args) => (isRunning ? Effect.fail(busy) : Effect.succeed(Stream.unwrap(linesOf(args))))
      })
    })
  )
}
