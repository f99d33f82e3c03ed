/** A child process that exchanges lines on stdio and ends with the scope. */
import * as childProcess from "node:child_process"
import * as path from "node:path"
import * as readline from "node:readline"
import { Cause, Effect, Queue, Schema, type Scope } from "effect"
import { BenchFailed } from "./Subject.ts"

/** Root of the checkout. */
export const root = path.resolve(import.meta.dirname, "../..")

export interface Program {
  readonly pid: number
  /** Returns the next line of stdout. Fails if the process has ended. */
  readonly line: Effect.Effect<string, BenchFailed>
  /** Writes one JSON document and a line feed to stdin. */
  readonly send: (document: unknown) => Effect.Effect<void>
}

export interface Options {
  /** Name in messages. */
  readonly name: string
  /** Node by default. */
  readonly command?: string
  /** Arguments of the command, which runs in the root of the checkout. */
  readonly args: ReadonlyArray<string>
  /** The whole environment. The default is this process's environment. */
  readonly env?: NodeJS.ProcessEnv
  /** How the process is stopped. */
  readonly end: "stdin" | "SIGTERM"
}

/** Lines that are not read are dropped. */
const maxLines = 1_000
/** The end of stderr, for the error message. */
const keptErrorLines = 20
/** After this time the process is killed. */
const graceMs = 15_000

export const start = Effect.fnUntraced(function* (
  options: Options
): Effect.fn.Return<Program, BenchFailed, Scope.Scope> {
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => spawn(options)),
    (child) => Effect.promise(() => end(child, options.end))
  )
  const lines = yield* Queue.sliding<string, BenchFailed>(maxLines)
  const errors: Array<string> = []
  readline.createInterface({ input: child.stdout }).on("line", (line) => Queue.offerUnsafe(lines, line))
  readline.createInterface({ input: child.stderr }).on("line", (line) => {
    errors.push(line)
    if (errors.length > keptErrorLines) errors.shift()
  })
  const fail = (how: string) => {
    const reason = [`${options.name} ${how}`, ...errors].join("\n")
    Queue.failCauseUnsafe(lines, Cause.fail(new BenchFailed({ reason })))
  }
  child.once("error", (error) => fail(`cannot be started: ${error.message}`))
  child.once("close", (code, signal) => fail(`ended with ${code ?? signal}`))
  // A write after the process's end fails with EPIPE. `line` reports the end.
  child.stdin.on("error", () => {})

  return {
    pid: child.pid ?? 0,
    line: Queue.take(lines),
    send: (document) => Effect.sync(() => void child.stdin.write(`${JSON.stringify(document)}\n`))
  }
})

const spawn = ({ args, command = process.execPath, env }: Options) =>
  childProcess.spawn(command, args, { cwd: root, env, stdio: ["pipe", "pipe", "pipe"] })

const end = (child: ReturnType<typeof spawn>, how: Options["end"]) =>
  new Promise<void>((resolve) => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return resolve()
    const killed = setTimeout(() => child.kill("SIGKILL"), graceMs)
    child.once("exit", () => {
      clearTimeout(killed)
      resolve()
    })
    child.stdin.end()
    if (how === "SIGTERM") child.kill("SIGTERM")
  })

/** Returns the next line that matches the schema, and skips other lines. */
export const document = <S extends Schema.ConstraintDecoder<unknown>>(program: Program, schema: S) => {
  const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(schema))
  return Effect.flatMap(program.line, (line) =>
    decode(line).pipe(Effect.mapError(() => new BenchFailed({ reason: `unexpected line: ${line}` })))
  )
}
