/** A child process that speaks lines on stdio, and ends with the scope. */
import * as childProcess from "node:child_process"
import * as path from "node:path"
import * as readline from "node:readline"
import { Cause, Effect, Queue, Schema, type Scope } from "effect"
import { BenchFailed } from "./Subject.ts"

/** The checkout. */
export const root = path.resolve(import.meta.dirname, "../..")

export interface Program {
  readonly pid: number
  /** The next line of stdout; fails when the process has ended. */
  readonly line: Effect.Effect<string, BenchFailed>
  /** Writes one JSON document and a line feed to stdin. */
  readonly send: (document: unknown) => Effect.Effect<void>
}

export interface Options {
  /** In messages. */
  readonly name: string
  /** Node by default. */
  readonly command?: string
  /** For the command, from the root of the checkout. */
  readonly args: ReadonlyArray<string>
  /** The whole environment; this process's own when absent. */
  readonly env?: NodeJS.ProcessEnv
  /** How it is told to end. */
  readonly end: "stdin" | "SIGTERM"
}

/** Unread ones are dropped: whoever does not read does not miss them. */
const maxLines = 1_000
/** Of stderr, for the message when it fails. */
const keptErrorLines = 20
/** After this it is killed. */
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
  // Written to after its end it fails with EPIPE; its end is told by `line`.
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

/** The next line that is a document of the schema; other lines are passed over. */
export const document = <S extends Schema.ConstraintDecoder<unknown>>(program: Program, schema: S) => {
  const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(schema))
  return Effect.flatMap(program.line, (line) =>
    decode(line).pipe(Effect.mapError(() => new BenchFailed({ reason: `unexpected line: ${line}` })))
  )
}
