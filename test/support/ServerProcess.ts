/** The server as users run it: a separate process that can be killed. */
import * as childProcess from "node:child_process"
import { once } from "node:events"
import * as path from "node:path"
import * as readline from "node:readline"
import { Effect } from "effect"
import * as FreePort from "#bench/harness/FreePort.ts"

/** The root of the checkout. */
export const root = path.resolve(import.meta.dirname, "../..")

export interface ServerProcess {
  readonly url: string
  readonly pid: number
  /** Everything printed so far on stdout and stderr. */
  readonly output: () => string
  /** The exit code once it has ended; `null` if a signal ended it. */
  readonly exited: Promise<number | null>
  /** Sends the signal, waits until the process has ended, and returns its exit code (`null` if a signal ended it). */
  readonly kill: (signal: NodeJS.Signals) => Promise<number | null>
  /** Sends a signal that does not end it. */
  readonly signal: (signal: NodeJS.Signals) => void
}

export interface StartOptions {
  readonly dataDirectory: string
  readonly port: number
  readonly env?: Readonly<Record<string, string>>
}

/** A key for `BOOTSTRAP_API_KEY`, and the header that presents it. */
export const apiKey = "test:0123456789abcdef"
export const authorization = { authorization: `Key ${apiKey}` }

/** A port that was free a moment ago. */
export const freePort = (): Promise<number> => Effect.runPromise(FreePort.find)

/** How long an empty process takes to run, ms: a measure of how busy the machine is. */
export const bareStartMs = async (): Promise<number> => {
  const began = performance.now()
  const child = childProcess.spawn(process.execPath, ["bin/inferlog.js", "--version"], {
    cwd: root,
    stdio: "ignore"
  })
  await once(child, "exit")
  return performance.now() - began
}

/** Resolves when the server reports that it serves. Rejects with its output if it ends first. */
export const start = ({ dataDirectory, port, env = {} }: StartOptions): Promise<ServerProcess> => {
  const child = childProcess.spawn(process.execPath, ["bin/inferlog.js", "serve"], {
    cwd: root,
    env: {
      // Takes nothing else from the environment of the tests, because the test runner sets BASE_URL.
      PATH: process.env["PATH"],
      DATA_DIR: dataDirectory,
      HOST: "127.0.0.1",
      PORT: String(port),
      BOOTSTRAP_API_KEY: apiKey,
      BOOTSTRAP_BALANCE: "1000000",
      ...env
    },
    stdio: ["ignore", "pipe", "pipe"]
  })
  const lines: Array<string> = []
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve))
  const kill = (signal: NodeJS.Signals) => {
    child.kill(signal)
    return exited
  }
  return new Promise((resolve, reject) => {
    const url = `http://127.0.0.1:${port}`
    const signal = (signal: NodeJS.Signals) => void child.kill(signal)
    const output = () => lines.join("\n")
    const started: ServerProcess = { url, pid: child.pid ?? 0, output, exited, kill, signal }
    for (const stream of [child.stdout, child.stderr]) {
      readline.createInterface({ input: stream }).on("line", (line) => {
        lines.push(line)
        if (line.includes(" serves at ")) resolve(started)
      })
    }
    void exited.then((code) => reject(new Error(`The server ended with ${code}:\n${output()}`)))
  })
}
