/** Clients that send requests and do not read the answers, each on its own socket. */
import { once } from "node:events"
import * as net from "node:net"
import { authorization } from "#test/support/ServerProcess.ts"

export interface Stubborn {
  readonly isClosed: () => boolean
  /** Settles when the server has closed the connection. */
  readonly dropped: Promise<void>
  readonly destroy: () => void
}

export interface Call {
  readonly port: number
  readonly path: string
  /** How many requests are pipelined on the connection. */
  readonly times?: number
  readonly localAddress?: string
  readonly isPublic?: boolean
}

/** Waits for the first bytes of the first answer and reads nothing after that. */
export const ask = async ({
  isPublic = false,
  localAddress = "127.0.0.1",
  path,
  port,
  times = 1
}: Call): Promise<Stubborn> => {
  const socket = net.connect({ port, host: "127.0.0.1", localAddress })
  const key = isPublic ? "" : `Authorization: ${authorization.authorization}\r\n`
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n${key}\r\n`.repeat(times))
  // A client that does not read still gets a reset.
  const dropped = new Promise<void>((resolve) =>
    socket.on("error", () => resolve()).on("close", () => resolve())
  )
  await Promise.race([once(socket, "readable"), dropped])
  return { isClosed: () => socket.closed, dropped, destroy: () => void socket.destroy() }
}
