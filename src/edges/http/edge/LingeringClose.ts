/** Ends a connection so that its client can still read the answer, even while it is sending a body. */
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"

/** ms in which the client may read before the connection is destroyed. */
const graceMs = 500

const installed = new WeakSet<Duplex>()

/** Whether the connection ends after its current or last answer. */
export const isInstalled = (socket: Duplex): boolean => installed.has(socket)

/**
 * Node destroys the socket after its last answer. Bytes that the client still sends would then be answered with a
 * reset, which may discard the answer. With this, the socket is ended first and destroyed later. Uses Node's timer,
 * because the fiber that answered has ended by then.
 */
export const install = (socket: Socket): void => {
  installed.add(socket)
  socket.destroySoon = () => {
    if (socket.destroyed) return
    socket.end()
    const timer = setTimeout(() => socket.destroy(), graceMs)
    socket.once("close", () => clearTimeout(timer))
  }
}
