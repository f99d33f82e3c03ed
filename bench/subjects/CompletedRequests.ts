/** Completed requests on our server, for read benchmarks. */
import { Effect, Schema } from "effect"
import { BenchFailed } from "../harness/Subject.ts"
import { authorization, type Inferlog } from "./Inferlog.ts"

export interface CompletedRequest {
  readonly id: string
  /** ETag of the status. */
  readonly etag: string
}

const atOnce = 32
const decode = Schema.decodeUnknownSync(
  Schema.Struct({ id: Schema.String, status: Schema.Literal("COMPLETED") })
)

const make = async (url: string, value: string): Promise<CompletedRequest> => {
  const headers = { ...authorization, "content-type": "application/json", prefer: "wait=30" }
  const body = JSON.stringify({ value })
  const submitted = await fetch(`${url}/sandbox/echo`, { method: "POST", headers, body })
  const { id } = decode(await submitted.json())
  const status = await fetch(`${url}/sandbox/echo/requests/${id}/status`, { headers: authorization })
  await status.arrayBuffer()
  return { id, etag: status.headers.get("etag") ?? "" }
}

/** Submits `count` requests that return `value`, and waits until each is complete. */
export const all = ({ url }: Inferlog, count: number, value: string) =>
  Effect.forEach(
    Array.from({ length: count }),
    () =>
      Effect.tryPromise({
        try: () => make(url, value),
        catch: (cause) => new BenchFailed({ reason: `a request could not be completed: ${String(cause)}` })
      }),
    { concurrency: atOnce }
  )
