import * as crypto from "node:crypto"
import { once } from "node:events"
import * as net from "node:net"
import { Effect } from "effect"

/** Below the ports that systems give to outgoing connections: one of those would take it before it is listened on. */
const lowest = 15_000
const highest = 32_000

/** Two that are asked for at once differ. */
const given = new Set<number>()

const isFree = async (port: number): Promise<boolean> => {
  const server = net.createServer().listen(port, "127.0.0.1")
  try {
    await once(server, "listening")
  } catch {
    return false
  }
  server.close()
  await once(server, "close")
  return true
}

/** A port of this machine that was free a moment ago. */
export const find: Effect.Effect<number> = Effect.promise(async () => {
  for (;;) {
    const port = crypto.randomInt(lowest, highest)
    if (given.has(port)) continue
    given.add(port)
    if (await isFree(port)) return port
  }
})
