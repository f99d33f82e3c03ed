/** Answers to requests that Node refuses before any route sees them: malformed HTTP; headers too large or too slow. */
import { type Server, ServerResponse, type IncomingMessage } from "node:http"
import { Socket } from "node:net"
import type { Duplex } from "node:stream"
import type { TextAnswer } from "../Answer.ts"
import * as ErrorAnswer from "../ErrorAnswer.ts"
import * as LingeringClose from "./LingeringClose.ts"
import * as Pipelining from "./Pipelining.ts"

/** Fails every reader of an incomplete body, which would otherwise wait forever. No effect on a complete body. */
export const breakOff = (request: IncomingMessage): void => {
  if (request.complete || request.destroyed) return
  LingeringClose.install(request.socket)
  // Node's own `_destroy` also destroys the socket.
  request._destroy = (_error, callback) => callback()
  request.destroy()
}

const errorAnswers: Readonly<Record<string, ErrorAnswer.ErrorAnswer>> = {
  HPE_HEADER_OVERFLOW: new ErrorAnswer.ErrorAnswer({
    status: 431,
    error: "The request line and headers are too large."
  }),
  ERR_HTTP_REQUEST_TIMEOUT: new ErrorAnswer.ErrorAnswer({
    status: 408,
    error: "The request did not arrive in time."
  })
}

const notHttp = ErrorAnswer.malformed("The request is not valid HTTP.")

const expectationFailed = new ErrorAnswer.ErrorAnswer({
  status: 417,
  error: "Only Expect: 100-continue is understood."
})

const reasonPhrases: Readonly<Record<number, string>> = {
  400: "Bad Request",
  404: "Not Found",
  408: "Request Timeout",
  431: "Request Header Fields Too Large"
}

const fieldsOf = ({ body, headers }: TextAnswer, correlationId: string) => ({
  ...headers,
  "content-type": "application/json",
  "content-length": String(Buffer.byteLength(body ?? "")),
  "x-content-type-options": "nosniff",
  "x-request-id": correlationId,
  connection: "close"
})

const serialize = (answer: TextAnswer, correlationId: string): string => {
  const fields = Object.entries(fieldsOf(answer, correlationId))
  const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`)
  const { body, status } = answer
  return `HTTP/1.1 ${status} ${reasonPhrases[status] ?? ""}\r\n${lines.join("")}\r\n${body ?? ""}`
}

/**
 * Answers on the bare socket and closes it. If earlier requests on the connection still wait for answers, they get
 * these, and the last answer ends the connection. If the body of the last of them broke off, its reader fails and
 * reports that.
 */
const onClientError = (error: NodeJS.ErrnoException, socket: Duplex, nextId: () => string): void => {
  if (error.code === "ECONNRESET") {
    socket.destroy()
    return
  }
  if (LingeringClose.isInstalled(socket)) return
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const owed = answerUnderWay(socket)
  if (owed !== undefined) {
    const last = (socket instanceof Socket && Pipelining.lastWaiting(socket)) || owed
    if (last.headersSent) {
      socket.destroy()
      return
    }
    last.shouldKeepAlive = false
    breakOff(last.req)
    return
  }
  refuse(socket, errorAnswers[error.code ?? ""] ?? notHttp, nextId())
}

const refuse = (socket: Duplex, errorAnswer: ErrorAnswer.ErrorAnswer, correlationId: string) =>
  socket.end(serialize(errorAnswer.toAnswer(correlationId), correlationId), () => socket.destroy())

/** Node exposes the response under way on a socket only under this name. */
const answerUnderWay = (socket: Duplex): ServerResponse | undefined => {
  const response: unknown = Reflect.get(socket, "_httpMessage")
  return response instanceof ServerResponse ? response : undefined
}

/** @param nextId makes correlation ids. */
export const install = (server: Server, nextId: () => string): Server =>
  server
    .on("clientError", (error, socket) => onClientError(error, socket, nextId))
    .on("connect", (_request, socket) => refuse(socket, ErrorAnswer.unknownRoute, nextId()))
    .on("checkExpectation", (_request, response) => {
      const correlationId = nextId()
      const answer = expectationFailed.toAnswer(correlationId)
      response.writeHead(answer.status, fieldsOf(answer, correlationId)).end(answer.body)
    })
