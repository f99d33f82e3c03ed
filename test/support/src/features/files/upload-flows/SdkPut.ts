/** PUTs by the official SDK: through its own transport, to a URL that someone else has signed. */
import { S3Client } from "@aws-sdk/client-s3"
import { Effect } from "effect"

interface SdkReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
}

const client = Effect.acquireRelease(
  Effect.sync(() => new S3Client({ region: "us-east-1" })),
  (client) => Effect.sync(() => client.destroy())
)

const requestTo = (url: string, body: Uint8Array, headers: Record<string, string>) => {
  const { hostname, pathname, port, protocol, searchParams } = new URL(url)
  return {
    method: "PUT",
    protocol,
    hostname,
    port: Number(port),
    path: pathname,
    query: Object.fromEntries(searchParams),
    headers: { host: `${hostname}:${port}`, "content-length": `${body.length}`, ...headers },
    body
  }
}

export const put = Effect.fnUntraced(function* (url: string, body: Uint8Array, contentType?: string) {
  const { requestHandler } = (yield* client).config
  const request = requestTo(url, body, contentType === undefined ? {} : { "content-type": contentType })
  const { response } = yield* Effect.promise(() => requestHandler.handle(request))
  response.body.resume()
  return { status: response.statusCode, headers: response.headers } satisfies SdkReply
}, Effect.scoped)
