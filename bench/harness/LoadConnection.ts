/** One kept-alive connection of the load generator on a raw socket. */
import { once } from "node:events"
import * as net from "node:net"
import * as AnswerReader from "./AnswerReader.ts"

export interface LoadConnection {
  /** Sends one request at a time. Calls back with the status of the answer. */
  readonly send: (request: string, answered: (status: number) => void) => void
  readonly close: () => void
}

/** Size of one read. Longer answers arrive in pieces. */
const readBytes = 64 * 1024

/** @param failed is called when the connection breaks or an answer is invalid. */
export const open = async (port: number, failed: (error: Error) => void): Promise<LoadConnection> => {
  const reader = AnswerReader.make()
  const buffer = Buffer.allocUnsafe(readBytes)
  let answered: ((status: number) => void) | null = null

  const read = (size: number) => {
    const status = reader.push(buffer.subarray(0, size))
    if (status === null) return
    const callback = answered
    if (callback === null) throw new Error("an answer came without a request")
    answered = null
    callback(status)
  }

  const onread = {
    buffer,
    callback: (size: number) => {
      try {
        read(size)
      } catch (error) {
        failed(error instanceof Error ? error : new Error(String(error)))
      }
      return true
    }
  }
  const socket = net.connect({ port, host: "127.0.0.1", noDelay: true, onread })
  await once(socket, "connect")
  socket.on("error", failed)
  socket.on("end", () => failed(new Error("the server closed a connection")))

  return {
    send: (request, callback) => {
      answered = callback
      socket.write(request, "latin1")
    },
    close: () => socket.destroy()
  }
}
