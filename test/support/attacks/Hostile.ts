/**
 * Hostile inputs, sent from a separate process. Every answer must have a status below 500, or be 503 with Retry-After.
 */
import * as http from "node:http"
import * as net from "node:net"
import * as zlib from "node:zlib"

export interface Answer {
  /** 0: the connection was closed without an answer. */
  readonly status: number
  readonly retryAfter: string | undefined
}

export interface Target {
  readonly host: string
  readonly port: number
  readonly key: string
}

type Input = (target: Target) => Promise<Answer>

interface Sent {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
  readonly isPublic?: boolean
}

/** A server may answer and close the connection before it has received the whole body. */
const patienceMs = 30_000

const send =
  ({ body, headers = {}, isPublic = false, method = "POST", path }: Sent): Input =>
  ({ host, key, port }) =>
    new Promise((resolve) => {
      const request = http.request({
        host,
        port,
        path,
        method,
        agent: false,
        timeout: patienceMs,
        headers: {
          ...(!isPublic && { authorization: `Key ${key}` }),
          ...(body !== undefined && {
            "content-type": "application/json",
            "content-length": Buffer.byteLength(body)
          }),
          ...headers
        }
      })
      let isAnswered = false
      request.on("response", (response) => {
        isAnswered = true
        response
          .resume()
          .on("close", () =>
            resolve({ status: response.statusCode ?? 0, retryAfter: response.headers["retry-after"] })
          )
      })
      request.on("timeout", () => request.destroy())
      request.on("close", () => isAnswered || resolve({ status: 0, retryAfter: undefined }))
      request.on("error", () => undefined)
      request.end(body)
    })

/** Sends raw bytes on a socket and returns the last status line before the server closed it. */
const raw =
  (text: (target: Target) => string | Buffer): Input =>
  (target) =>
    new Promise((resolve) => {
      const socket = net.connect(target.port, target.host)
      let received = ""
      socket.setTimeout(patienceMs, () => socket.destroy())
      socket.on("data", (chunk) => (received = (received + chunk.toString("latin1")).slice(-20_000)))
      socket.on("error", () => undefined)
      socket.on("close", () => {
        const lines = [...received.matchAll(/HTTP\/1\.1 (\d{3})/g)]
        const [, retryAfter] = /retry-after: (\d+)/i.exec(received) ?? []
        resolve({ status: Number(lines.at(-1)?.[1] ?? 0), retryAfter })
      })
      socket.write(text(target))
    })

const head = (path: string, { key }: Target, more = "", method = "GET") =>
  `${method} ${path} HTTP/1.1\r\nhost: a\r\nauthorization: Key ${key}\r\n${more}`

const echo = (body: string | Buffer, headers: Sent["headers"] = {}) =>
  send({ path: "/sandbox/echo", body, headers })
const value = (json: string) => echo(`{"value":${json}}`)
const hook = (webhook: string) => echo(JSON.stringify({ value: 1, webhook }))
const withHeader = (name: string, text: string) => echo('{"value":1}', { [name]: text })
const get = (path: string, isPublic = false) => send({ method: "GET", path, isPublic })
const post = (path: string, body: unknown, isPublic = false) =>
  send({ path, body: JSON.stringify(body), isPublic })
const form = (path: string, body: string) =>
  send({ path, body, isPublic: true, headers: { "content-type": "application/x-www-form-urlencoded" } })

/** Built once, so that the attacker spends no CPU time on it. */
const bomb = zlib.gzipSync(Buffer.alloc(100_000_000, "[1],"))
const times = (text: string, count: number) => text.repeat(count)

/** Inputs by name. `isRefused` requires an error status. */
export const inputs: ReadonlyArray<readonly [name: string, isRefused: boolean, input: Input]> = [
  ["arrays 100,000 deep", true, value(times("[", 100_000) + times("]", 100_000))],
  ["objects 50,000 deep", true, value(times('{"a":', 50_000) + "1" + times("}", 50_000))],
  ["unclosed arrays", true, value(times("[", 500_000))],
  ["a million empty objects", false, value(`[${times("{},", 999_999)}{}]`)],
  [
    "half a million properties",
    false,
    value(`{${Array.from({ length: 500_000 }, (_, index) => `"k${index}":1`).join()}}`)
  ],
  ["one property a hundred thousand times", false, value(`{${times('"k":1,', 100_000)}"k":1}`)],
  ["a property name of 5 MB", false, value(`{"${times("k", 5_000_000)}":1}`)],
  ["a string of 9 MB", false, value(`"${times("x", 9_000_000)}"`)],
  ["a number of a million digits", false, value(times("9", 1_000_000))],
  ["an exponent beyond all numbers", false, value("1e999999999")],
  ["lone surrogates", false, value(`"${times("\\ud800", 200_000)}"`)],
  ["escaped zeros", false, value(`"${times("\\u0000", 300_000)}"`)],
  ["prototype members", false, echo('{"value":{"__proto__":{"a":1},"constructor":{"prototype":{}}}}')],
  ["a byte order mark", false, echo(`\ufeff{"value":1}`)],
  ["UTF-16", true, echo(Buffer.from('{"value":1}', "utf16le"))],
  ["bytes that are not UTF-8", true, echo(Buffer.alloc(1_000_000, 0xff))],
  ["truncated JSON", true, echo(`{"value":[${times("1,", 500_000)}`)],
  ["JSON with trailing text", true, echo(`{"value":1}${times("x", 1_000_000)}`)],
  ["no body", true, echo("")],
  ["an array instead of an object", true, echo("[]")],
  ["a compression bomb", true, echo(bomb, { "content-encoding": "gzip" })],
  ["an unsupported content encoding", true, echo("{}", { "content-encoding": "br" })],
  ["an unsupported content type", true, echo("{}", { "content-type": "text/xml" })],
  ["a body of 11 MB", true, echo(Buffer.alloc(11_000_000, " "))],
  [
    "a declared length that is never sent",
    true,
    raw((to) =>
      head("/sandbox/echo", to, "content-type: application/json\r\ncontent-length: 99999999\r\n\r\n", "POST")
    )
  ],
  ["a webhook with a script URL", true, hook("javascript:alert(1)")],
  ["a webhook of 5,000 characters", true, hook(`https://example.com/${times("x", 5_000)}`)],
  ["a webhook to a cloud metadata service", true, hook("https://169.254.169.254/latest/meta-data")],
  ["a webhook with credentials", true, hook("https://user:secret@example.com/")],
  ["a webhook to this server", true, hook("https://127.0.0.1/")],
  [
    "a filter of 300,000 events",
    true,
    echo(`{"value":1,"webhook":"https://example.com/","webhook_events_filter":[${times("1,", 299_999)}1]}`)
  ],
  ["an idempotency key of 8,000 characters", true, withHeader("idempotency-key", times("k", 8_000))],
  ["metadata of 8,000 characters", true, withHeader("x-request-metadata", `{"a":"${times("x", 8_000)}"}`)],
  ["nested metadata", true, withHeader("x-request-metadata", times("[", 2_000))],
  ["an infinite deadline", true, withHeader("cancel-after", "1e400")],
  ["an infinite start timeout", true, withHeader("x-request-start-timeout", times("9", 400))],
  ["a wait of a year", true, withHeader("prefer", "wait=31536000")],
  ["a path of 8,000 characters", true, get(`/${times("a", 8_000)}`)],
  ["a query of 8,000 characters", true, get(`/requests?${times("a=b&", 2_000)}`)],
  ["escapes in a path", true, get("/%00%ff/%2e%2e/%2fetc%2fpasswd")],
  ["a cursor of garbage", true, get(`/requests?cursor=${times("A", 4_000)}`)],
  ["page numbers beyond any list", true, get("/requests?page=999999999999&limit=999999999999")],
  [
    "a filter that targets slow patterns",
    true,
    get(`/requests?status=${encodeURIComponent(`(a+)+${times("a", 2_000)}!`)}`)
  ],
  ["a search for one repeated letter", true, get(`/search?query=${times("a", 4_000)}`, true)],
  [
    "a thousand ranges",
    true,
    send({
      method: "GET",
      path: `/media/${times("A", 24)}/a`,
      headers: { range: `bytes=${times("0-0,", 1_000)}0-0` }
    })
  ],
  [
    "an upload of negative size",
    true,
    post("/storage/upload/initiate", { file_name: "a", content_type: "image/png", size: -1 })
  ],
  [
    "an upload with an invalid type",
    true,
    post("/storage/upload/initiate", { file_name: "a", content_type: times("x/", 9_000) })
  ],
  [
    "100,000 parts",
    true,
    post("/storage/upload/complete-multipart", {
      parts: Array.from({ length: 100_000 }, () => ({ partNumber: 1, etag: "x" }))
    })
  ],
  [
    "a key with 20,000 scopes",
    true,
    post("/keys", { name: "a", scopes: Array.from({ length: 20_000 }, () => "requests:read") })
  ],
  [
    "a recovery since the earliest date",
    true,
    post("/webhooks/deliveries/recover", { since: "-271821-04-20T00:00:00Z" })
  ],
  [
    "an estimate of a megabyte",
    true,
    post(
      "/pricing/estimate",
      { modelEndpoint: "sandbox/echo", input: { value: times("x", 1_000_000) } },
      true
    )
  ],
  ["a claim without a worker key", true, post("/workers/claim", { wait: 60 })],
  ["a callback for no run", true, post(`/callbacks/${times("A", 200)}`, {}, true)],
  [
    "10,000 tool calls in one batch",
    true,
    post(
      "/mcp",
      Array.from({ length: 10_000 }, (_, id) => ({ jsonrpc: "2.0", id, method: "ping" })),
      true
    )
  ],
  [
    "a client with 50,000 redirect addresses",
    true,
    post(
      "/oauth/register",
      { redirect_uris: Array.from({ length: 50_000 }, () => "https://a.example/") },
      true
    )
  ],
  [
    "a token request of a megabyte",
    true,
    form("/oauth/token", `grant_type=authorization_code&code=${times("x", 1_000_000)}`)
  ],
  ["a sign-in for an unknown client", true, get(`/oauth/authorize?client_id=${times("x", 4_000)}`, true)],
  [
    "bytes that are not HTTP",
    true,
    raw(() => Buffer.from("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "latin1"))
  ],
  ["an unknown method", true, raw((to) => head("/requests", to, "connection: close\r\n\r\n", "BREW"))],
  [
    "two content lengths",
    true,
    raw((to) => head("/sandbox/echo", to, "content-length: 5\r\ncontent-length: 50\r\n\r\n{}", "POST"))
  ],
  [
    "a content length with chunks",
    true,
    raw((to) =>
      head("/sandbox/echo", to, "content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n", "POST")
    )
  ],
  [
    "invalid chunks",
    true,
    raw((to) =>
      head(
        "/sandbox/echo",
        to,
        "content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
        "POST"
      )
    )
  ],
  ["5,000 headers", true, raw((to) => head("/requests", to, `${times("a: b\r\n", 5_000)}\r\n`))],
  ["a header of a megabyte", true, raw((to) => head("/requests", to, `a: ${times("b", 1_000_000)}\r\n\r\n`))],
  ["two Host headers", true, raw((to) => head("/requests", to, "host: b\r\nconnection: close\r\n\r\n"))],
  ["300 pipelined calls", false, raw((to) => times(head("/requests?limit=1", to, "\r\n"), 300))]
]

/** Opens connections that stay idle or almost idle. Returns a function that closes them. */
export const idle = (target: Target): (() => void) => {
  const sockets = Array.from({ length: 60 }, (_, number) => {
    const socket = net.connect(target.port, target.host)
    socket.on("error", () => undefined)
    if (number % 3 === 0) socket.write("GET /requests HTTP/1.1\r\nhost:")
    if (number % 3 === 1) {
      socket.write(
        head(
          "/sandbox/echo",
          target,
          "content-type: application/json\r\ncontent-length: 1000\r\n\r\n{",
          "POST"
        )
      )
    }
    if (number % 3 === 2) socket.write(head("/requests/stream", target, "\r\n"))
    socket.pause()
    return socket
  })
  return () => sockets.forEach((socket) => socket.destroy())
}
