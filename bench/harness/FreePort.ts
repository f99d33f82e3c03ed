import { once } from "node:events"
import * as net from "node:net"
import { Effect } from "effect"

/** A port of this machine that was free a moment ago. */
export const find: Effect.Effect<number> = Effect.promise(async () => {
  const server = net.createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  await once(server, "close")
  if (address === null || typeof address === "string") throw new Error("expected a port")
  return address.port
})
