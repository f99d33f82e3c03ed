/** The program as users start it: a separate process on a data directory. */
import * as childProcess from "node:child_process"
import * as url from "node:url"
import { Effect, Schema, type Scope } from "effect"
import * as FreePort from "#bench/harness/FreePort.ts"
import * as InProcess from "./InProcess.ts"

export interface Ended {
  /** The exit code; `null` if a signal ended it. */
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

const main = url.fileURLToPath(new URL("../../../../bin/inferlog.js", import.meta.url))

/** Takes nothing else from the environment of the tests. */
export const environment = { PATH: process.env["PATH"] ?? "" }

export type Settings = Readonly<Record<string, string>>

const start = (args: ReadonlyArray<string>, settings: Settings) =>
  childProcess.spawn(process.execPath, [main, ...args], {
    env: { ...environment, ...settings },
    stdio: ["ignore", "pipe", "pipe"]
  })

const collect = (child: ReturnType<typeof start>): Promise<Ended> => {
  let stdout = ""
  let stderr = ""
  child.stdout.on("data", (chunk) => (stdout += String(chunk)))
  child.stderr.on("data", (chunk) => (stderr += String(chunk)))
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, stdout, stderr })))
}

/** Runs a command to its end in a separate process. */
export const spawn = (args: ReadonlyArray<string>, settings: Settings): Effect.Effect<Ended> =>
  Effect.promise(() => collect(start(args, settings)))

/** Runs a command to its end in this process, because starting a process takes longer than most commands. */
export const run = (args: ReadonlyArray<string>, settings: Settings, stdin?: string): Effect.Effect<Ended> =>
  Effect.promise(() => InProcess.run(args, { ...environment, ...settings }, stdin))

/** Starts a command that can receive signals. */
export const begin = (args: ReadonlyArray<string>, settings: Readonly<Record<string, string>>) => {
  const child = start(args, settings)
  return { kill: (signal: NodeJS.Signals) => child.kill(signal), ended: collect(child) }
}

export interface Following {
  /** Its output once it satisfies the condition. Fails if it ends before. */
  readonly until: (isEnough: (stdout: string) => boolean) => Effect.Effect<string>
  /** Waits for a text on stderr. Fails if it ends before. */
  readonly warned: (text: RegExp) => Effect.Effect<void>
  readonly ended: Effect.Effect<Ended>
  readonly kill: (signal: NodeJS.Signals) => Effect.Effect<Ended>
}

/** Starts a command that runs until it is stopped. Killed with the scope. */
export const follow = (
  args: ReadonlyArray<string>,
  settings: Readonly<Record<string, string>>
): Effect.Effect<Following, never, Scope.Scope> =>
  Effect.gen(function* () {
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => start(args, settings)),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    )
    const ended = collect(child)
    let stdout = ""
    child.stdout.on("data", (chunk) => (stdout += String(chunk)))
    let stderr = ""
    child.stderr.on("data", (chunk) => (stderr += String(chunk)))
    return {
      until: (isEnough) =>
        Effect.promise(
          () =>
            new Promise<string>((resolve, reject) => {
              const check = () => (isEnough(stdout) ? resolve(stdout) : undefined)
              child.stdout.on("data", check)
              void ended.then(({ stderr }) => reject(new Error(`the command ended: ${stderr}`)))
              check()
            })
        ),
      warned: (text) =>
        Effect.promise(
          () =>
            new Promise<void>((resolve, reject) => {
              const check = () => (text.test(stderr) ? resolve() : undefined)
              child.stderr.on("data", check)
              void ended.then(() => reject(new Error(`the command ended: ${stderr}`)))
              check()
            })
        ),
      ended: Effect.promise(() => ended),
      kill: (signal) =>
        Effect.promise(() => {
          child.kill(signal)
          return ended
        })
    }
  })

/** Runs a command that must succeed, and decodes the JSON that it prints. */
export const json = <S extends Schema.ConstraintDecoder<unknown>>(
  schema: S,
  args: ReadonlyArray<string>,
  settings: Readonly<Record<string, string>>
): Effect.Effect<S["Type"]> => {
  const decode = Schema.decodeUnknownSync(Schema.fromJsonString(schema))
  return Effect.flatMap(run([...args, "--json"], settings), ({ code, stderr, stdout }) =>
    code === 0 ? Effect.sync(() => decode(stdout)) : Effect.die(new Error(`exit code ${code}: ${stderr}`))
  )
}

export const Opened = Schema.Struct({ accountId: Schema.String, key: Schema.String })
export const Issued = Schema.Struct({ accountId: Schema.String, keyId: Schema.String, key: Schema.String })
export const Revoked = Schema.Struct({ keyId: Schema.String, revoked: Schema.Literal(true) })
export const Listed = Schema.Array(
  Schema.Struct({
    keyId: Schema.String,
    accountId: Schema.String,
    name: Schema.String,
    createdAt: Schema.String,
    revokedAt: Schema.NullOr(Schema.String)
  })
)
export const Stats = Schema.Struct({
  events: Schema.Int,
  position: Schema.String,
  digest: Schema.String,
  bytes: Schema.Struct({ log: Schema.Int, wal: Schema.Int }),
  streams: Schema.Int,
  types: Schema.Record(Schema.String, Schema.Int)
})
export const Verified = Schema.Struct({
  ok: Schema.Literal(true),
  events: Schema.Int,
  position: Schema.String,
  digest: Schema.String
})

export interface RunningServer {
  readonly url: string
  readonly kill: (signal: NodeJS.Signals) => Effect.Effect<Ended>
}

/** A running server on a free port. Killed with the scope. */
export const serve = (
  settings: Readonly<Record<string, string>>
): Effect.Effect<RunningServer, never, Scope.Scope> =>
  Effect.gen(function* () {
    const port = yield* FreePort.find
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => start(["serve"], { ...settings, PORT: String(port) })),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    )
    const ended = collect(child)
    yield* Effect.promise(
      () =>
        new Promise<void>((resolve, reject) => {
          child.stdout.on("data", (chunk) => {
            if (String(chunk).includes("inferlog serves at")) resolve()
          })
          void ended.then(({ stderr }) => reject(new Error(`the server ended: ${stderr}`)))
        })
    )
    return {
      url: `http://127.0.0.1:${port}`,
      kill: (signal) =>
        Effect.promise(() => {
          child.kill(signal)
          return ended
        })
    }
  })
