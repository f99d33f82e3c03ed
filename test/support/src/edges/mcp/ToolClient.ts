/** A client of the tool server that exposes everything: status, headers and every byte of an answer. */
import * as http from "node:http"
import { Effect } from "effect"
import * as HttpProbe from "#test/support/HttpProbe.ts"

export const forms = { accept: "application/json, text/event-stream", "content-type": "application/json" }

export const initialize = (protocolVersion = "2025-11-25") => ({
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion, capabilities: {}, clientInfo: { name: "test", version: "1" } }
})

export const toolCall = (id: number, name: string, given: object = {}, meta: object = {}) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: given, _meta: meta }
})

type Headers = Readonly<Record<string, string>>

/** The whole answer. */
export const post = (port: number, message: unknown, headers: Headers) =>
  HttpProbe.send(port, {
    method: "POST",
    path: "/mcp",
    headers: { ...forms, ...headers },
    body: JSON.stringify(message)
  })

/** Ends the session. */
export const end = (port: number, headers: Headers) =>
  HttpProbe.send(port, { method: "DELETE", path: "/mcp", headers })

/** Opens a session and returns its headers. */
export const session = Effect.fnUntraced(function* (port: number, headers: Headers) {
  const reply = yield* post(port, initialize(), headers)
  return { ...headers, "mcp-session-id": String(reply.headers["mcp-session-id"]) }
})

export interface Answering {
  /** 0 before it arrives. */
  readonly status: () => number
  readonly headers: () => http.IncomingHttpHeaders
  readonly body: () => string
  /** Waits until the condition holds. Dies if the answer ends first. */
  readonly until: (isSo: (answer: Answering) => boolean) => Effect.Effect<void>
  readonly ended: Effect.Effect<void>
  /** Disconnects. */
  readonly leave: Effect.Effect<void>
}

/** An answer while it arrives. */
export const begin = (port: number, message: unknown, headers: Headers) =>
  Effect.acquireRelease(
    Effect.sync((): Answering => {
      let status = 0
      let received: http.IncomingHttpHeaders = {}
      let body = ""
      let isOver = false
      const listeners = new Set<() => void>()
      const tell = () => listeners.forEach((listener) => listener())
      const end = () => {
        isOver = true
        tell()
      }
      const request = http.request(
        {
          host: "127.0.0.1",
          port,
          path: "/mcp",
          method: "POST",
          agent: false,
          headers: { ...forms, ...headers }
        },
        (response) => {
          status = response.statusCode ?? 0
          received = response.headers
          response.setEncoding("utf8")
          response.on("data", (chunk) => {
            body += String(chunk)
            tell()
          })
          response.on("error", end)
          response.on("close", end)
          tell()
        }
      )
      request.on("error", end)
      request.end(JSON.stringify(message))
      const answer: Answering = {
        status: () => status,
        headers: () => received,
        body: () => body,
        until: (isSo) =>
          Effect.callback((resume) => {
            const check = () => {
              if (isSo(answer)) resume(Effect.void)
              else if (isOver) resume(Effect.die(new Error(`The answer is over: ${status} ${body}`)))
            }
            listeners.add(check)
            check()
            return Effect.sync(() => void listeners.delete(check))
          }),
        ended: Effect.suspend(() => answer.until(() => isOver)),
        leave: Effect.sync(() => void request.destroy())
      }
      return answer
    }),
    ({ leave }) => leave
  )

/** The messages of an event stream. */
export const messages = (body: string): ReadonlyArray<unknown> =>
  body
    .split("\n\n")
    .filter((event) => event.startsWith("data: "))
    .map((event) => JSON.parse(event.slice("data: ".length)))
