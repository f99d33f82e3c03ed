/** Requests that wait for earlier ones of their connection. Node holds their answers back without a limit. */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"

/** Waiting requests of one connection, beside the one being answered. */
export const maxWaiting = 16

export interface Pipelining {
  /** `served` like any other, `refused` as one of too many, or `dropped` because the connection ends before it. */
  readonly admit: (request: IncomingMessage, response: ServerResponse) => "served" | "refused" | "dropped"
}

/** Waiting answers by connection, oldest first. */
const waiting = new WeakMap<Socket, Set<ServerResponse>>()

/** The last waiting answer of a connection, apart from the one being written. */
export const lastWaiting = (socket: Socket): ServerResponse | undefined =>
  [...(waiting.get(socket) ?? [])].at(-1)

/** A waiting answer gets no other event when its connection closes. */
const begin = (socket: Socket): Set<ServerResponse> => {
  const responses = new Set<ServerResponse>()
  waiting.set(socket, responses)
  socket.once("close", () => {
    for (const response of responses) if (!response.writableEnded) response.emit("close")
  })
  return responses
}

export const make = (): Pipelining => {
  const refused = new WeakSet<Socket>()
  return {
    admit: ({ socket }, response) => {
      // The usual case: no answer is before it.
      if (response.socket !== null) return "served"
      if (refused.has(socket)) return "dropped"
      const responses = waiting.get(socket) ?? begin(socket)
      responses.add(response)
      response.once("finish", () => responses.delete(response))
      if (responses.size <= maxWaiting) return "served"
      refused.add(socket)
      // Bytes already read are parsed to their end, but no more are read.
      socket.pause()
      return "refused"
    }
  }
}
