/** Restate, whose log server syncs by default, with a handler in this program. */
import { once } from "node:events"
import { createServer } from "node:http2"
import { createRequire } from "node:module"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { closedLoop, Pending, type Payload } from "./load.ts"
import { run, setting, Unavailable } from "./protocol.ts"
import { freePort, scratchDirectory, startServer } from "./servers.ts"

const remedy = "npm ci --ignore-scripts --prefix bench/peers"

/** The binary itself, because its npm launcher would be one more process. */
const binary = (): string => {
  try {
    return createRequire(import.meta.url).resolve(
      `@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`
    )
  } catch {
    throw new Unavailable(remedy)
  }
}

const isHealthy = async (url: string): Promise<boolean> => {
  try {
    return (await fetch(url)).ok
  } catch {
    return false
  }
}

const startRestate = async (resources: AsyncDisposableStack) => {
  const directory = scratchDirectory(resources)
  const [ingress, admin, node] = [await freePort(), await freePort(), await freePort()]
  const urls = { ingress: `http://127.0.0.1:${ingress}`, admin: `http://127.0.0.1:${admin}` }
  const pid = await startServer(
    resources,
    {
      name: "restate-server",
      file: binary(),
      args: [
        "--no-logo",
        "--listen-mode",
        "tcp",
        "--node-name",
        "bench",
        "--base-dir",
        join(directory, "data")
      ],
      directory,
      remedy,
      // It handles SIGTERM only after its start.
      stop: "SIGKILL",
      env: {
        RESTATE_BIND_ADDRESS: `127.0.0.1:${node}`,
        RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
        RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
        // The default of 24 is about a third slower on two cores.
        RESTATE_DEFAULT_NUM_PARTITIONS: String(2 * availableParallelism()),
        RESTATE_DISABLE_TELEMETRY: "true"
      }
    },
    async () =>
      (await isHealthy(`${urls.admin}/health`)) && (await isHealthy(`${urls.ingress}/restate/health`))
  )
  return { pid, urls }
}

await run(async (resources) => {
  const { connections, mode } = setting()
  const { createEndpointHandler, service } = await import("@restatedev/restate-sdk")
  const { connect } = await import("@restatedev/restate-sdk-clients")
  const { pid, urls } = await startRestate(resources)

  const pending = new Pending()
  const requests = service({
    name: "requests",
    handlers: {
      run: async (_: unknown, { id }: Payload): Promise<void> => {
        pending.complete(id)
      }
    }
  })
  // Uses HTTP/2, which the SDK prefers. The SDK logs to the console, which carries the protocol here.
  const endpoint = resources.adopt(
    createServer(createEndpointHandler({ services: [requests], logger: () => {} })),
    (server) => void server.close()
  )
  await once(endpoint.listen(0, "127.0.0.1"), "listening")
  const address = endpoint.address()
  if (address === null || typeof address === "string") throw new Error("no TCP port")
  const registered = await fetch(`${urls.admin}/deployments`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ uri: `http://127.0.0.1:${address.port}` })
  })
  if (!registered.ok) throw new Error(`Restate refused the handler: ${await registered.text()}`)

  const client = connect({ url: urls.ingress }).serviceSendClient<typeof requests>({ name: "requests" })
  const pids = [pid]
  const request = () => pending.completed((payload) => client.run(payload))
  // The first invocation of a partition waits for its leader. This many invocations reach every partition.
  await Promise.all(Array.from({ length: 50 * availableParallelism() }, request))

  if (mode === "end-to-end")
    return { ready: { pids }, measure: (seconds) => closedLoop(connections, seconds, request) }

  const measure = async (seconds: number) => {
    const measured = await closedLoop(connections, seconds, () =>
      pending.accepted((payload) => client.run(payload))
    )
    // Restate dispatches at once. The rest must not run while another product is measured.
    await pending.drained()
    return measured
  }
  return { ready: { pids }, measure }
})
