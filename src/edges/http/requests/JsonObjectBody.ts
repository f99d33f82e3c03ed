/** A JSON object in the body, read only if the headers are valid. */
import { Effect } from "effect"
import type * as ErrorAnswer from "../ErrorAnswer.ts"
import * as BodyHeaders from "./BodyHeaders.ts"
import * as JsonBody from "./JsonBody.ts"
import type { RequestHeaders } from "./RequestHeaders.ts"

export interface Sent {
  readonly headers: RequestHeaders
  /** Of the body, in bytes; 10 MiB by default. */
  readonly limit?: number
  /** Runs after the headers were checked. */
  readonly readBody: Effect.Effect<Uint8Array, ErrorAnswer.ErrorAnswer>
}

const hasBody = (headers: RequestHeaders): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0

export const read = Effect.fnUntraced(function* ({ headers, limit, readBody }: Sent) {
  yield* Effect.fromResult(BodyHeaders.check(headers, limit))
  return yield* Effect.fromResult(JsonBody.parseObject(yield* readBody))
})

/** An empty object if the request has no body. */
export const readIfSent = (sent: Sent) =>
  Effect.suspend(() => (hasBody(sent.headers) ? read(sent) : Effect.succeed({})))
