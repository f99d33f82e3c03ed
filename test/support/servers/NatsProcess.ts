/** A nats-server process with JetStream that can be stopped, killed, paused, and restarted on its store. */
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import * as readline from "node:readline"
import { Effect, type Scope } from "effect"
import * as NatsBinary from "./NatsBinary.ts"
import { pause } from "./Pause.ts"
import * as Until from "../Until.ts"

export interface NatsProcess {
  readonly name: string
  /** `nats://127.0.0.1:PORT`, the same after a restart. */
  readonly url: string
  readonly port: number
  /** Of the current or last process. */
  readonly pid: number
  /** Everything printed so far, including by earlier processes. */
  readonly output: () => string
  /** Stops it gracefully and waits until it has ended. */
  readonly stop: Effect.Effect<void>
  /** Sends SIGKILL and waits until it has ended. */
  readonly kill: Effect.Effect<void>
  /** Connections stay open, and no request is answered. */
  readonly pause: Effect.Effect<void>
  readonly resume: Effect.Effect<void>
  /** Starts it again on its port and store, and waits until it is ready. Kills it first if it still runs. */
  readonly restart: Effect.Effect<void>
}

export interface ProcessOptions {
  readonly name: string
  readonly port: number
  /** The directory of its configuration and store. */
  readonly directory: string
  /** When it syncs writes: `always` (before each answer), or an interval such as `2m`. */
  readonly syncInterval?: string
  /** Further lines for its configuration. */
  readonly configuration?: string
  /** Resolves when the server at this address is ready. */
  readonly ready: (url: string) => Promise<unknown>
}

const configurationOf = ({
  configuration = "",
  directory,
  name,
  port,
  syncInterval = "always"
}: ProcessOptions) =>
  `server_name: ${name}
listen: "127.0.0.1:${port}"
jetstream { store_dir: ${JSON.stringify(path.join(directory, name))}, sync_interval: ${syncInterval} }
${configuration}
`

interface Run {
  readonly child: childProcess.ChildProcess
  readonly ended: Promise<void>
}

const spawn = (file: string, lines: Array<string>): Run => {
  if (NatsBinary.program === null) throw new Error(`No server to start${NatsBinary.whyNot}`)
  const child = childProcess.spawn(NatsBinary.program, ["-c", file], { stdio: ["ignore", "pipe", "pipe"] })
  for (const stream of [child.stdout, child.stderr]) {
    readline.createInterface({ input: stream }).on("line", (line) => lines.push(line))
  }
  return { child, ended: new Promise((resolve) => child.once("close", () => resolve())) }
}

/** Ready when this returns, killed with the scope. Dies with the server's output if it does not start. */
export const make = Effect.fn("NatsProcess.make")(function* (
  options: ProcessOptions
): Effect.fn.Return<NatsProcess, never, Scope.Scope> {
  const { directory, name, port, ready } = options
  const url = `nats://127.0.0.1:${port}`
  const file = path.join(directory, `${name}.conf`)
  fs.writeFileSync(file, configurationOf(options))

  const lines: Array<string> = []
  let run: Run
  const signal = (name: NodeJS.Signals) => Effect.sync(() => void run.child.kill(name))
  const ended = Effect.promise(() => run.ended)
  const kill = Effect.andThen(signal("SIGKILL"), ended)
  const begin = Effect.sync(() => {
    run = spawn(file, lines)
  })

  const output = () => lines.join("\n")
  const endedEarly = Effect.flatMap(ended, () =>
    Effect.die(new Error(`nats-server ended before it was ready:\n${output()}`))
  )
  const becomeReady = Effect.raceFirst(
    Until.answers(() => ready(url), Until.processes),
    endedEarly
  )

  yield* Effect.acquireRelease(begin, () => kill)
  yield* becomeReady

  return {
    name,
    url,
    port,
    get pid() {
      return run.child.pid ?? 0
    },
    output,
    // A paused process would not receive the signal.
    stop: Effect.all([signal("SIGTERM"), signal("SIGCONT"), ended], { discard: true }),
    kill,
    pause: Effect.suspend(() => pause(run.child.pid ?? 0)),
    resume: signal("SIGCONT"),
    restart: Effect.all([kill, begin, becomeReady], { discard: true })
  }
})
