/** What Node refuses before any route sees it (malformed HTTP, headers too large or too slow): in the envelope too. */
import type { Server } from "node:http"
import type { Duplex } from "node:stream"
import type { Answer } from "../Answer.ts"
import * as Refusal from "../Refusal.ts"

const refusals: Readonly<Record<string, Refusal.Refusal>> = {
  HPE_HEADER_OVERFLOW: new Refusal.Refusal({
    status: 431,
    error: "The request line and headers are too large."
  }),
  ERR_HTTP_REQUEST_TIMEOUT: new Refusal.Refusal({ status: 408, error: "The request did not arrive in time." })
}

const notHttp = Refusal.malformed("The request is not valid HTTP.")

const expectationFailed = new Refusal.Refusal({
  status: 417,
  error: "Only Expect: 100-continue is understood."
})

const reasonPhrases: Readonly<Record<number, string>> = {
  400: "Bad Request",
  408: "Request Timeout",
  431: "Request Header Fields Too Large"
}

const fieldsOf = ({ body, headers }: Answer, correlationId: string) => ({
  ...headers,
  "content-type": "application/json",
  "content-length": String(Buffer.byteLength(body ?? "")),
  "x-content-type-options": "nosniff",
  "x-request-id": correlationId,
  connection: "close"
})

const serialize = (answer: Answer, correlationId: string): string => {
  const fields = Object.entries(fieldsOf(answer, correlationId))
  const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`)
  const { body, status } = answer
  return `HTTP/1.1 ${status} ${reasonPhrases[status] ?? ""}\r\n${lines.join("")}\r\n${body ?? ""}`
}

/** Answers on the bare socket and closes it; a socket that is gone, or in the middle of an answer, is only closed. */
const onClientError = (error: NodeJS.ErrnoException, socket: Duplex, nextId: () => string): void => {
  if (error.code === "ECONNRESET" || !socket.writable || hasStartedAnswer(socket)) {
    socket.destroy()
    return
  }
  const refusal = refusals[error.code ?? ""] ?? notHttp
  const correlationId = nextId()
  socket.end(serialize(refusal.toAnswer(correlationId), correlationId), () => socket.destroy())
}

/** The response under way on a socket is known to Node only under this name. */
const hasStartedAnswer = (socket: Duplex): boolean => {
  const response: unknown = Reflect.get(socket, "_httpMessage")
  return typeof response === "object" && response !== null && Reflect.get(response, "headersSent") === true
}

/** @param nextId makes correlation ids. */
export const install = (server: Server, nextId: () => string): Server =>
  server
    .on("clientError", (error, socket) => onClientError(error, socket, nextId))
    .on("checkExpectation", (_request, response) => {
      const correlationId = nextId()
      const answer = expectationFailed.toAnswer(correlationId)
      response.writeHead(answer.status, fieldsOf(answer, correlationId)).end(answer.body)
    })
