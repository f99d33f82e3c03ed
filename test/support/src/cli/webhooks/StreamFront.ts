/**
 * A server whose event stream the test writes by hand (decisions, "Server-sent events"). A server behind it, if there
 * is one, answers all other routes.
 */
import * as http from "node:http"
import { Effect } from "effect"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"

export const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`

/** A connection to the stream. */
export interface Connection {
  readonly url: URL
  readonly headers: http.IncomingHttpHeaders
  /** The fields of a frame: its position, the request and its status. */
  readonly frame: (id: string, requestId: string, status: string, model?: string) => void
  readonly write: (text: string) => void
  readonly end: () => void
  /** Breaks the connection. */
  readonly cut: () => void
}

/** The answer to the `turn`th connection, from 1, instead of a stream. */
export type Refuse = (turn: number) => {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
} | null

const passOn = (port: number, request: http.IncomingMessage, response: http.ServerResponse) => {
  const { headers, method, url: path } = request
  const forwarded = http.request({ port, host: "127.0.0.1", method, path, headers }, (upstream) => {
    response.writeHead(upstream.statusCode ?? 500, upstream.headers)
    upstream.pipe(response)
  })
  forwarded.on("error", () => response.socket?.destroy())
  request.pipe(forwarded)
}

const connectionOf = (url: URL, request: http.IncomingMessage, response: http.ServerResponse): Connection => {
  response.writeHead(200, { "content-type": "text/event-stream" })
  response.write("retry: 50\n\n")
  return {
    url,
    headers: request.headers,
    frame: (id, requestId, status, modelEndpoint = "sandbox/echo") => {
      const data = JSON.stringify({ status, request_id: requestId, modelEndpoint, logs: "" })
      response.write(`id: ${id}\nevent: status\ndata: ${data}\n\n`)
    },
    write: (text) => void response.write(text),
    end: () => void response.end(),
    cut: () => void response.socket?.destroy()
  }
}

/** The answer for a request that has ended. */
const retrieved = (id: string, outcome: string) => ({
  id,
  modelEndpoint: "sandbox/echo",
  status: "COMPLETED",
  outcome,
  error: null,
  billingStatus: "charged"
})

export const make = Effect.fnUntraced(function* (
  options: {
    readonly behind?: number
    readonly refuse?: Refuse
    readonly port?: number
    /** Of each request. */
    readonly outcome?: string
  } = {}
) {
  const { behind, outcome = "succeeded", refuse = () => null } = options
  const connections: Array<Connection> = []
  const waiting: Array<(connection: Connection) => void> = []
  const paths: Array<string> = []
  let turn = 0
  let key = secret

  const json = (response: http.ServerResponse, status: number, body: unknown, headers = {}) =>
    void response
      .writeHead(status, { ...(body !== undefined && { "content-type": "application/json" }), ...headers })
      .end(JSON.stringify(body))

  const receiver = yield* Receiver.http(
    (request, response) => {
      const url = new URL(request.url ?? "", "http://127.0.0.1")
      paths.push(url.pathname)
      if (url.pathname === "/requests/stream") {
        turn += 1
        const errorAnswer = refuse(turn)
        if (errorAnswer !== null)
          return json(response, errorAnswer.status, errorAnswer.body, errorAnswer.headers)
        const connection = connectionOf(url, request, response)
        const next = waiting.shift()
        return next === undefined ? void connections.push(connection) : next(connection)
      }
      if (behind !== undefined) return passOn(behind, request, response)
      if (url.pathname === "/webhooks/default/secret") return json(response, 200, { key })
      return json(response, 200, retrieved(url.pathname.split("/").at(-1) ?? "", outcome))
    },
    { port: options.port ?? 0 }
  )
  return {
    url: `http://127.0.0.1:${receiver.port}`,
    port: receiver.port,
    /** The calls so far. */
    paths: (): ReadonlyArray<string> => paths,
    /** The next connection to the stream. */
    next: Effect.promise(
      () =>
        new Promise<Connection>((resolve) => {
          const connection = connections.shift()
          if (connection === undefined) waiting.push(resolve)
          else resolve(connection)
        })
    ),
    rotate: (next: string) => {
      key = next
    }
  }
})
