/** Ends a connection so that its client still reads the answer, also when it is in the middle of sending a body. */
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"

/** ms in which the client may read; then the connection is gone whatever it does. */
const graceMs = 500

const installed = new WeakSet<Duplex>()

/** Whether the connection ends with the answer that is owed or was given, whatever else comes on it. */
export const isInstalled = (socket: Duplex): boolean => installed.has(socket)

/**
 * Node destroys the socket of a last answer once that is written; what the client then sends is answered with a reset,
 * which may take the answer with it. From now on the socket is only ended first. The timer is Node's: the fiber that has
 * answered is over by then.
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
