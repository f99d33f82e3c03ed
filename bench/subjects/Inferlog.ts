/** Our server as users run it: a separate process with default settings on a new data directory. */
import { Effect } from "effect"
import * as FreePort from "../harness/FreePort.ts"
import type { HttpServer } from "../harness/HttpSubject.ts"
import { NodeFlags } from "../harness/NodeFlags.ts"
import * as Program from "../harness/Program.ts"
import * as ScratchDirectory from "../harness/ScratchDirectory.ts"

export interface Inferlog extends HttpServer {
  readonly url: string
  readonly dataDirectory: string
  /** The process, for a command that also takes orders on stdin. */
  readonly program: Program.Program
}

export const apiKey = "bench:0123456789abcdef0123456789abcdef0123456789a"

export const authorization = { authorization: `Key ${apiKey}` }

/** The limits of resident memory under the load of submits, and of an idle server. */
export const maxLoadedMiB = 350
export const maxIdleMiB = 180

/** `BOOTSTRAP_BALANCE`: more than any benchmark spends. */
const balanceUsd = "1000000000"

/** Tests set it, so that commands that run from sources are not compiled again at each start. */
const compileCache = () => {
  const { NODE_COMPILE_CACHE } = process.env
  return NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }
}

/** @param command arguments of Node. `settings` are further environment variables. */
export const serve = (command?: ReadonlyArray<string>, settings?: Readonly<Record<string, string>>) =>
  Effect.flatMap(ScratchDirectory.make, (directory) => serveIn(directory, command, settings))

/** The same on an existing data directory. `settings` are further environment variables. */
export const serveIn = Effect.fnUntraced(function* (
  dataDirectory: string,
  command: ReadonlyArray<string> = ["bin/inferlog.js", "serve"],
  settings: Readonly<Record<string, string>> = {}
) {
  const port = yield* FreePort.find
  const program = yield* Program.start({
    name: "inferlog",
    args: [...(yield* NodeFlags), ...command],
    end: "SIGTERM",
    env: {
      PATH: process.env["PATH"],
      DATA_DIR: dataDirectory,
      HOST: "127.0.0.1",
      PORT: String(port),
      BOOTSTRAP_API_KEY: apiKey,
      BOOTSTRAP_BALANCE: balanceUsd,
      ...compileCache(),
      ...settings
    }
  })
  yield* Effect.repeat(program.line, { until: (line) => line.includes(" serves at ") })
  const url = `http://127.0.0.1:${port}`
  const server: Inferlog = { port, pids: [program.pid], url, dataDirectory, program }
  return server
})
