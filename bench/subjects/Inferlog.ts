/** Our server as its users run it: a process of its own, with default settings, on a fresh data directory. */
import { once } from "node:events"
import * as net from "node:net"
import { Effect } from "effect"
import type { HttpServer } from "../harness/HttpSubject.ts"
import { NodeFlags } from "../harness/NodeFlags.ts"
import * as Program from "../harness/Program.ts"
import * as ScratchDirectory from "../harness/ScratchDirectory.ts"

export interface Inferlog extends HttpServer {
  readonly url: string
  readonly dataDirectory: string
}

export const apiKey = "bench:0123456789abcdef0123456789abcdef0123456789a"

export const authorization = { authorization: `Key ${apiKey}` }

/** `BOOTSTRAP_BALANCE`: more than any run spends. */
const balanceUsd = "1000000000"

/** A port that was free a moment ago. */
const freePort = async (): Promise<number> => {
  const server = net.createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  await once(server, "close")
  if (address === null || typeof address === "string") throw new Error("expected a port")
  return address.port
}

/** @param command what Node is to run. */
export const serve = (command?: ReadonlyArray<string>) =>
  Effect.flatMap(ScratchDirectory.make, (directory) => serveIn(directory, command))

/** The same on a data directory that is there already. */
export const serveIn = Effect.fnUntraced(function* (
  dataDirectory: string,
  command: ReadonlyArray<string> = ["src/main.ts", "serve"]
) {
  const port = yield* Effect.promise(freePort)
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
      BOOTSTRAP_BALANCE: balanceUsd
    }
  })
  yield* Effect.repeat(program.line, { until: (line) => line.includes(" serves at ") })
  const server: Inferlog = { port, pids: [program.pid], url: `http://127.0.0.1:${port}`, dataDirectory }
  return server
})
