/** A server process with one operator's model, and calls of a client to it. */
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect } from "effect"
import * as InProcess from "#test/support/src/cli/InProcess.ts"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as Until from "#test/support/Until.ts"

/** Without retries: a single used attempt fails the request. */
const manifest = (provider: object) => ({
  kind: "model",
  name: "acme/gpu",
  displayName: "GPU",
  category: "utility",
  provider,
  concurrency: 8,
  retry: { retries: 0 },
  pricing: { unit: "request", unitPrice: "0.001" },
  inputSchema: { type: "object" },
  outputSchema: { type: "object" },
  exampleInput: {}
})

type Body = Readonly<Record<string, unknown>>

export const call = (
  server: ServerProcess.ServerProcess,
  route: string,
  input?: object,
  headers: Readonly<Record<string, string>> = ServerProcess.authorization
) =>
  Effect.promise(async () => {
    const response = await fetch(server.url + route, {
      headers: { ...headers, "content-type": "application/json" },
      ...(input !== undefined && { method: "POST", body: JSON.stringify(input) })
    })
    const text = await response.text()
    return (text === "" ? {} : JSON.parse(text)) as Body
  })

export const until = <R>(isSo: Effect.Effect<boolean, never, R>) =>
  Until.polled("a fact of the server", isSo, (found) => found, Until.processes)

export const prints = (server: ServerProcess.ServerProcess, text: string) =>
  Until.polled(text, Effect.sync(server.output), (output) => output.includes(text), Until.processes)

export const metric = (server: ServerProcess.ServerProcess, line: string) =>
  Effect.promise(async () => (await (await fetch(`${server.url}/metrics`)).text()).includes(line))

/** A server with one model, `acme/gpu`, at `provider`. */
export const serving = Effect.fnUntraced(function* (provider: object, more: object = {}, env = {}) {
  const directory = yield* TempDirectory.make
  const models = path.join(directory, "models")
  fs.mkdirSync(models)
  fs.writeFileSync(path.join(models, "gpu.json"), JSON.stringify({ ...manifest(provider), ...more }))
  const dataDirectory = path.join(directory, "data")
  const port = yield* Effect.promise(() => ServerProcess.freePort())
  const server = yield* Effect.acquireRelease(
    Effect.promise(() => ServerProcess.start({ dataDirectory, port, env: { MODELS_DIR: models, ...env } })),
    (server) => Effect.promise(() => server.kill("SIGKILL"))
  )
  yield* until(Effect.map(call(server, "/models/acme/gpu"), (body) => body["error"] === undefined))
  return { server, dataDirectory }
})

export const httpProvider = (port: number) => ({ adapter: "http", url: `http://127.0.0.1:${port}/run` })

export const submit = (server: ServerProcess.ServerProcess) =>
  Effect.map(call(server, "/acme/gpu", {}), (body) => String(body["request_id"]))

export const statusOf = (server: ServerProcess.ServerProcess, id: string) =>
  call(server, `/acme/gpu/requests/${id}/status`)

/** The message shows the last status. */
export const untilStatus = (server: ServerProcess.ServerProcess, id: string, status: string) =>
  Until.polled(
    `the status ${status}`,
    statusOf(server, id),
    (body) => body["status"] === status,
    Until.processes
  )

/** Creates a worker key for every model. */
export const workerKey = (dataDirectory: string) =>
  Effect.promise(async () => {
    const { code, stderr, stdout } = await InProcess.run(["workers", "create", "--name", "gpu-box"], {
      DATA_DIR: dataDirectory
    })
    if (code !== 0) throw new Error(stderr)
    return stdout.trim()
  })
