/** An OTLP/HTTP receiver on a free port that stores JSON or misbehaves. */
import * as http from "node:http"
import * as zlib from "node:zlib"
import { Effect, type Scope } from "effect"

export interface Span {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly attributes: Readonly<Record<string, unknown>>
}

interface Received {
  readonly path: string
  readonly headers: http.IncomingHttpHeaders
  readonly body: unknown
}

export interface Receiver {
  readonly url: string
  readonly received: ReadonlyArray<Received>
}

/** `hangs`: accepts requests and never answers. `stalls`: sends headers and a body that never ends. */
export type Behaviour = "takes" | "hangs" | "stalls" | "refuses"

export const make = (behaviour: Behaviour = "takes"): Effect.Effect<Receiver, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<Receiver & { readonly server: http.Server }>((resume) => {
      const received: Array<Received> = []
      const server = http.createServer((request, response) => {
        const chunks: Array<Buffer> = []
        request.on("data", (chunk: Buffer) => chunks.push(chunk))
        request.on("end", () => {
          const bytes = Buffer.concat(chunks)
          const text = request.headers["content-encoding"] === "gzip" ? zlib.gunzipSync(bytes) : bytes
          const isJson = request.headers["content-type"] === "application/json"
          const body: unknown = isJson ? JSON.parse(text.toString()) : undefined
          received.push({ path: String(request.url), headers: request.headers, body })
          if (behaviour === "takes") response.end("{}")
          if (behaviour === "stalls") response.writeHead(200).write("{")
          if (behaviour === "refuses") response.writeHead(400).end()
        })
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" ? (address?.port ?? 0) : 0
        resume(Effect.succeed({ url: `http://127.0.0.1:${port}`, received, server }))
      })
    }),
    ({ server }) =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  )

/** All objects under the key, at any depth. */
const under = (value: unknown, key: string): ReadonlyArray<Readonly<Record<string, unknown>>> => {
  if (Array.isArray(value)) return value.flatMap((part) => under(part, key))
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([name, part]) =>
    name === key && Array.isArray(part) ? part.map(Object) : under(part, key)
  )
}

const attributesOf = (list: unknown): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    under({ list }, "list").map(({ key, value }) => [String(key), Object.values(Object(value))[0]])
  )

export const spans = ({ received }: Receiver): ReadonlyArray<Span> =>
  received.flatMap(({ body }) =>
    under(body, "spans").map(({ attributes, name, parentSpanId, spanId, traceId }) => ({
      name: String(name),
      traceId: String(traceId),
      spanId: String(spanId),
      parentSpanId: parentSpanId === undefined ? undefined : String(parentSpanId),
      attributes: attributesOf(attributes)
    }))
  )

export const logs = ({ received }: Receiver) =>
  received.flatMap(({ body }) =>
    under(body, "logRecords").map(({ attributes, body, severityText }) => ({
      message: Object(body)["stringValue"],
      severity: severityText,
      attributes: attributesOf(attributes)
    }))
  )

export const metricNames = ({ received }: Receiver): ReadonlySet<string> =>
  new Set(received.flatMap(({ body }) => under(body, "metrics").map(({ name }) => String(name))))

export const resources = ({ received }: Receiver) =>
  received.flatMap(({ body }) =>
    [...under(body, "resourceSpans"), ...under(body, "resourceMetrics"), ...under(body, "resourceLogs")].map(
      ({ resource }) => attributesOf(Object(resource)["attributes"])
    )
  )
