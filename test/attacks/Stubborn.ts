/** Clients that ask and do not read, each on a socket of its own. */
import { once } from "node:events"
import * as net from "node:net"
import { authorization } from "#test/support/ServerProcess.ts"

export interface Stubborn {
  readonly isClosed: () => boolean
  /** Settles when the server has ended the connection, though nothing of it is read. */
  readonly dropped: Promise<void>
  readonly destroy: () => void
}

export interface Asked {
  readonly port: number
  readonly path: string
  /** How often, one behind the other on the connection. */
  readonly times?: number
  readonly localAddress?: string
  readonly isPublic?: boolean
}

/** Reads the first bytes of the first answer, and then nothing. */
export const ask = async ({
  isPublic = false,
  localAddress = "127.0.0.1",
  path,
  port,
  times = 1
}: Asked): Promise<Stubborn> => {
  const socket = net.connect({ port, host: "127.0.0.1", localAddress })
  const key = isPublic ? "" : `Authorization: ${authorization.authorization}\r\n`
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n${key}\r\n`.repeat(times))
  // A reset is told even to one who does not read.
  const dropped = new Promise<void>((resolve) =>
    socket.on("error", () => resolve()).on("close", () => resolve())
  )
  await Promise.race([once(socket, "readable"), dropped])
  return { isClosed: () => socket.closed, dropped, destroy: () => void socket.destroy() }
}
