/** A nats-server with JetStream and one replica on loopback: a separate process, stopped with the scope. */
import * as fs from "node:fs"
import * as path from "node:path"
import { jetstreamManager } from "@nats-io/jetstream"
import { connect } from "@nats-io/transport-node"
import { Effect, Schedule } from "effect"
import * as FreePort from "../../harness/FreePort.ts"
import * as NatsProgram from "../../harness/NatsProgram.ts"
import * as Program from "../../harness/Program.ts"
import { BenchFailed, Unavailable } from "../../harness/Subject.ts"

/** When messages are synced: each before its acknowledgement, or every two minutes, the server's default. */
export type Sync = "always" | "default"

export interface Broker {
  readonly url: string
  readonly pid: number
  /** Size of its files, bytes. */
  readonly diskBytes: () => number
}

export interface Options {
  /** Folder of its files. */
  readonly directory: string
  readonly sync: Sync
}

const startMs = 15_000

const configuration = (port: number, { directory, sync }: Options) =>
  `server_name: bench
listen: "127.0.0.1:${port}"
jetstream { store_dir: ${JSON.stringify(path.join(directory, "store"))}${sync === "always" ? ", sync_interval: always" : ""} }
`

const askOnce = async (url: string): Promise<void> => {
  const connection = await connect({ servers: url, reconnect: false, timeout: 1_000 })
  try {
    await (await jetstreamManager(connection, { timeout: 1_000 })).getAccountInfo()
  } finally {
    await connection.close()
  }
}

/** Polls until JetStream answers. */
const answers = (url: string) =>
  Effect.tryPromise({
    try: () => askOnce(url),
    catch: (cause) => new BenchFailed({ reason: `nats-server does not answer: ${String(cause)}` })
  }).pipe(
    Effect.retry(Schedule.spaced("50 millis")),
    Effect.timeoutOrElse({
      duration: startMs,
      orElse: () => Effect.fail(new BenchFailed({ reason: "nats-server does not answer" }))
    })
  )

const bytesIn = (directory: string): number => {
  let total = 0
  for (const entry of fs.readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    // The server creates and removes blocks meanwhile.
    const stat = fs.statSync(path.join(entry.parentPath, entry.name), { throwIfNoEntry: false })
    total += stat?.size ?? 0
  }
  return total
}

/** Fails with `Unavailable` if there is no sufficiently new nats-server. */
export const start = Effect.fnUntraced(function* (options: Options) {
  const { program: command } = NatsProgram.search()
  if (command === null) {
    return yield* new Unavailable({ subject: "nats-server", remedy: NatsProgram.remedy })
  }
  const port = yield* FreePort.find
  const file = path.join(options.directory, "nats-server.conf")
  yield* Effect.sync(() => fs.writeFileSync(file, configuration(port, options)))
  const program = yield* Program.start({ name: "nats-server", command, args: ["-c", file], end: "SIGTERM" })
  const url = `nats://127.0.0.1:${port}`
  // It prints no lines, but the end of its output is detected.
  yield* Effect.raceFirst(answers(url), Effect.forever(program.line))
  const broker: Broker = { url, pid: program.pid, diskBytes: () => bytesIn(options.directory) }
  return broker
})
