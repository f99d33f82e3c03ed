/** `POST /callbacks/{requestId}/{attempt}/{mac}`: 200 when taken, or when the run is over; 503 when to call again. */
import { Effect, Result } from "effect"
import * as JsonBytes from "#src/kernel/text/JsonBytes.ts"
import { Callbacks } from "#src/features/providers/Callbacks.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as Refusal from "#src/edges/http/Refusal.ts"

/** Of a body, bytes. Providers send outputs, files in `data:` URIs included. */
export const maxBytes = 32 * 1024 * 1024

const tooLarge = Refusal.bodyTooLarge(maxBytes)
const notJson = Refusal.malformed("The request body is no JSON that can be taken.")

const unknownAddress = new Refusal.Refusal({
  status: 401,
  error: "This is not an address that was given out for callbacks."
})

const elsewhere = new Refusal.Refusal({
  status: 503,
  error: "Nobody follows the run here at the moment: call again.",
  headers: { "retry-after": "10" }
})

export interface CallbackCall {
  /** As in the path. */
  readonly address: { readonly requestId: string; readonly attempt: string; readonly mac: string }
  readonly headers: Readonly<Record<string, string | undefined>>
  /** At most `maxBytes`. Not run for an address that is none of ours. */
  readonly readBody: Effect.Effect<Uint8Array, Refusal.Refusal>
}

export const make = Effect.gen(function* () {
  const callbacks = yield* Callbacks

  return Effect.fnUntraced(function* ({ address, headers, readBody }: CallbackCall) {
    const run = { ...address, attempt: Number(address.attempt) }
    if (!callbacks.isAddress(run)) return yield* unknownAddress
    if (Number(headers["content-length"] ?? 0) > maxBytes) return yield* tooLarge
    const rawBody = yield* readBody
    const json = JsonBytes.parse(rawBody)
    if (Result.isFailure(json)) {
      return yield* json.failure === "too_many_values" ? Refusal.tooManyValues : notJson
    }
    const present = Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]]
    )
    const callback = { json: json.success, headers: Object.fromEntries(present), rawBody }
    const status = yield* callbacks.deliver({ ...run, callback })
    switch (status) {
      case "refused":
        return yield* unknownAddress
      case "elsewhere":
        return yield* elsewhere
      case "delivered":
      case "over":
        return Answer.json(200, { status })
    }
  })
})
