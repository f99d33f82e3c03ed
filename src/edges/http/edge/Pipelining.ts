/**
 * Requests that came before earlier ones of their connection were answered. Node keeps their answers back, without a bound on
 * their number, and tells the answers nothing when their connection goes away.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"

/** Of one connection, beside the request that is being answered: they come in one piece, and are begun in one. */
export const maxWaiting = 16

export interface Pipelining {
  /**
   * How a request is to be dealt with: `served` like any other, `refused` as one too many, or `dropped`, for its connection
   * ends with an earlier answer.
   */
  readonly admit: (request: IncomingMessage, response: ServerResponse) => "served" | "refused" | "dropped"
}

/** Answers that wait, oldest first, by their connection. */
const waiting = new WeakMap<Socket, Set<ServerResponse>>()

/** The last answer that is owed on a connection, but for the one being written. */
export const lastWaiting = (socket: Socket): ServerResponse | undefined =>
  [...(waiting.get(socket) ?? [])].at(-1)

/** An answer that waits hears of its connection's end by no other event. */
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
      // The usual case: nothing is before it, so it has the connection already.
      if (response.socket !== null) return "served"
      if (refused.has(socket)) return "dropped"
      const responses = waiting.get(socket) ?? begin(socket)
      responses.add(response)
      response.once("finish", () => responses.delete(response))
      if (responses.size <= maxWaiting) return "served"
      refused.add(socket)
      // What has been read is parsed to its end; nothing more is read.
      socket.pause()
      return "refused"
    }
  }
}
