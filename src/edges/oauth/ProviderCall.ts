/** Calls oidc-provider as a function, without a socket. Its answer is sent like every other answer of the server. */
import * as http from "node:http"
import * as net from "node:net"

export interface Call {
  readonly method: string
  /** Path and query. */
  readonly target: string
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Absent for a request without a body. */
  readonly body?: Uint8Array
}

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly cookies: ReadonlyArray<string>
  readonly body: string
}

/** Captures the whole answer. It is text, never a stream. */
class Captured extends http.ServerResponse {
  body = ""
  override end(chunk?: unknown): this {
    if (typeof chunk === "string") this.body = chunk
    if (Buffer.isBuffer(chunk)) this.body = chunk.toString("utf8")
    return this
  }
}

export interface Exchange {
  readonly request: http.IncomingMessage
  readonly response: http.ServerResponse
  /** Call it when the provider has finished. */
  readonly reply: () => Reply
}

/** @param issuer the public address, which the provider takes as its own scheme and host. */
export const exchange = (
  issuer: string,
  { body = new Uint8Array(), headers, method, target }: Call
): Exchange => {
  const request = new http.IncomingMessage(new net.Socket())
  const { host, protocol } = new URL(issuer)
  request.method = method
  request.url = target
  request.headers = {
    accept: "application/json",
    ...headers,
    host,
    "x-forwarded-proto": protocol.slice(0, -1),
    ...(body.length === 0 ? {} : { "content-length": String(body.length) })
  }
  if (body.length > 0) request.push(body)
  request.push(null)
  request.complete = true
  const response = new Captured(request)
  const reply = (): Reply => {
    const { "set-cookie": cookies = [], ...rest } = response.getHeaders()
    const fields = Object.entries(rest).map(([name, value]) => [name, String(value)] as const)
    return {
      status: response.statusCode,
      headers: Object.fromEntries(fields),
      cookies: Array.isArray(cookies) ? cookies : [String(cookies)],
      body: response.body
    }
  }
  return { request, response, reply }
}
