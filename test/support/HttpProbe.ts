/** Sends requests exactly as given, each on its own connection, and returns the answer unchanged. */
import * as http from "node:http"
import * as net from "node:net"
import { Effect } from "effect"
import * as DeclaredAnswer from "./DeclaredAnswer.ts"

export interface Probe {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

export interface Reply {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  /** Names and values alternate, as they were sent. */
  readonly rawHeaders: ReadonlyArray<string>
  readonly bytes: Buffer
  readonly text: string
  /** The body as JSON; `undefined` if it is not JSON. */
  readonly json: unknown
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isOurs = ({ headers }: Reply): boolean => String(headers["x-request-id"]).startsWith("call_")

/** Dies on an answer of the server that the OpenAPI document does not declare. */
export const send = (port: number, probe: Probe): Effect.Effect<Reply> =>
  Effect.tap(exchange(port, probe), (reply) =>
    isOurs(reply)
      ? Effect.promise(async () => {
          const breach = (await DeclaredAnswer.check())(probe, reply)
          if (breach !== null) throw new Error(breach)
        })
      : Effect.void
  )

const exchange = (port: number, probe: Probe): Effect.Effect<Reply> =>
  Effect.callback((resume, signal) => {
    const { body, headers, method, path } = probe
    const request = http.request(
      {
        host: "127.0.0.1",
        port,
        path,
        agent: false,
        signal,
        method: method ?? "GET",
        headers: headers ?? {}
      },
      (response) => {
        const chunks: Array<Buffer> = []
        response.on("error", (error) => resume(Effect.die(error)))
        response.on("data", (chunk: Buffer) => chunks.push(chunk))
        response.on("end", () => {
          const bytes = Buffer.concat(chunks)
          const text = bytes.toString()
          const { headers, rawHeaders, statusCode: status = 0 } = response
          resume(Effect.succeed({ status, headers, rawHeaders, bytes, text, json: parse(text) }))
        })
      }
    )
    request.on("error", (error) => resume(Effect.die(error)))
    request.end(body)
  })

/** Writes `text` to a bare socket and returns everything until the server closes it. */
export const raw = (port: number, text: string | Uint8Array): Effect.Effect<string> =>
  Effect.callback((resume) => {
    const chunks: Array<Buffer> = []
    const socket = net.connect(port, "127.0.0.1", () => socket.write(text))
    socket.on("data", (chunk) => chunks.push(chunk))
    socket.on("error", () => {})
    socket.on("close", () => resume(Effect.succeed(Buffer.concat(chunks).toString("latin1"))))
    return Effect.sync(() => socket.destroy())
  })
