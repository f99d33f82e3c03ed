/** Calls routes of a running server. Ignores response fields that the command does not need. */
import { Effect, Schema } from "effect"
import { type Call, Platform } from "./Platform.ts"
import { unexpected } from "./Refusal.ts"

const notAsExpected = (call: Call) => () =>
  unexpected(`unexpected response of ${call.method} ${call.path}: the server may be another release`)

/** Calls a route and decodes its response. */
export const caller = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const decode = Schema.decodeUnknownEffect(schema)
  return Effect.fnUntraced(function* (
    call: Call
  ): Effect.fn.Return<S["Type"], Effect.Error<ReturnType<Platform["Service"]["call"]>>, Platform> {
    const answer = yield* (yield* Platform).call(call)
    return yield* Effect.mapError(decode(answer), notAsExpected(call))
  })
}
