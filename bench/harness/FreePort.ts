import * as crypto from "node:crypto"
import { once } from "node:events"
import * as net from "node:net"
import { Effect } from "effect"

/** Below the ports that systems give to outgoing connections: one of those would take it before it is listened on. */
const lowest = 15_000
const highest = 32_000

/**
 * Processes of tests run side by side, and what one of them has stopped it may start again at its port: each has a share of
 * them to itself. One more than `vitest.config.ts` has workers.
 */
const shares = 4
const share = Number(process.env["VITEST_POOL_ID"] ?? 0) % shares

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
    const port = lowest + share + shares * crypto.randomInt((highest - lowest) / shares)
    if (given.has(port)) continue
    given.add(port)
    if (await isFree(port)) return port
  }
})
