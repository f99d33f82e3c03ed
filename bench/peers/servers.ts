/** Servers of other products, each in its own scratch folder and ended by its pid. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { closeSync, mkdtempSync, openSync, readFileSync } from "node:fs"
import { rm } from "node:fs/promises"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { Unavailable } from "./protocol.ts"

const readyWithinMs = 30_000
const stopWithinMs = 5_000

/** A new folder that is removed at the end. */
export const scratchDirectory = (resources: AsyncDisposableStack): string => {
  if (resources.disposed) throw new Error("ended while starting")
  return resources.adopt(mkdtempSync(join(tmpdir(), "inferlog-peer-")), (directory) =>
    rm(directory, { recursive: true, force: true, maxRetries: 5 })
  )
}

/** A TCP port of 127.0.0.1 that was free a moment ago, for servers that cannot report their port. */
export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  await once(server, "close")
  if (address === null || typeof address === "string") throw new Error("no TCP port")
  return address.port
}

export interface User {
  readonly uid: number
  readonly gid: number
}

export interface Command {
  readonly name: string
  readonly file: string
  readonly args: ReadonlyArray<string>
  /** Folder for the output, in `<name>.log`. */
  readonly directory: string
  /** Shell command that installs it. */
  readonly remedy: string
  readonly env?: Readonly<Record<string, string>>
  /** Signal that ends the server at once, even with open connections. SIGTERM by default. */
  readonly stop?: NodeJS.Signals
  /** User of the process, if it is not this program's user. */
  readonly user?: User
}

const isMissing = (error: Error): boolean => "code" in error && error.code === "ENOENT"

const launch = (resources: AsyncDisposableStack, command: Command) => {
  if (resources.disposed) throw new Error("ended while starting")
  const { args, directory, env, file, name, remedy } = command
  const log = join(directory, `${name}.log`)
  const output = openSync(log, "a")
  const child = spawn(file, args, {
    cwd: directory,
    stdio: ["ignore", output, output],
    // Without the caller's variables, because PGDATA, RESTATE_CONFIG and the like would change the measurement.
    env: { PATH: process.env["PATH"], HOME: directory, ...env },
    ...command.user
  })
  closeSync(output)
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve))
  const failed = new Promise<never>((_, reject) =>
    child.once("error", (error) => reject(isMissing(error) ? new Unavailable(remedy) : error))
  )
  const state = { stopping: false }
  resources.defer(async () => {
    state.stopping = true
    if (child.pid === undefined) return
    child.kill(command.stop ?? "SIGTERM")
    const stopped = new AbortController()
    const late = delay(stopWithinMs, undefined, { signal: stopped.signal }).then(
      () => child.kill("SIGKILL"),
      () => false
    )
    await exited
    stopped.abort()
    await late
  })
  const tail = (): string => readFileSync(log, "utf8").slice(-600).trim()
  return { child, exited, failed, state, tail }
}

/** Runs a command. A status other than 0 is an error with the end of its output. */
export const runToEnd = async (resources: AsyncDisposableStack, command: Command): Promise<void> => {
  const { exited, failed, tail } = launch(resources, command)
  const status = await Promise.race([exited, failed])
  if (status !== 0) throw new Error(`${command.name} ended with status ${status}: ${tail()}`)
}

/** Starts a server that ends with the program, and returns its pid once `isReady`. If the server ends earlier, the program fails. */
export const startServer = async (
  resources: AsyncDisposableStack,
  command: Command,
  isReady: () => Promise<boolean>
): Promise<number> => {
  const { child, exited, failed, state, tail } = launch(resources, command)
  const ended = exited.then((status) => {
    if (state.stopping) return
    throw new Error(`${command.name} ended with status ${status}: ${tail()}`)
  })
  const ready = async (): Promise<void> => {
    const until = performance.now() + readyWithinMs
    // oxlint-disable-next-line no-await-in-loop -- polls
    while (!state.stopping && !(await isReady())) {
      if (performance.now() > until) throw new Error(`${command.name} is not ready: ${tail()}`)
      // oxlint-disable-next-line no-await-in-loop -- polls
      await delay(20)
    }
  }
  await Promise.race([ready(), ended, failed])
  // Not awaited from here on: a rejection is an uncaught exception and ends the program.
  void ended.then(() => undefined)
  if (child.pid === undefined) throw new Error(`${command.name} did not start`)
  return child.pid
}
