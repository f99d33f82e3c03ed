import * as crypto from "node:crypto"
import { once } from "node:events"
import * as net from "node:net"
import { Effect } from "effect"

/** Below the ports of outgoing connections, because one of those could take the port before a server listens on it. */
const lowest = 15_000
const highest = 32_000

/**
 * Test processes run concurrently and may restart a server on the same port, so each process has its own share of the ports.
 * One more than the number of workers in `vitest.config.ts`.
 */
const shares = 4
const share = Number(process.env["VITEST_POOL_ID"] ?? 0) % shares

/** Ports that were returned before, so that concurrent calls get different ones. */
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
