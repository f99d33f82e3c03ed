/** Routes of a running server as this program calls them: fields that it does not need are not looked at. */
import { Effect, Schema } from "effect"
import { type Call, Platform } from "./Platform.ts"
import { unexpected } from "./Refusal.ts"

const notAsExpected = (call: Call) => () =>
  unexpected(
    `the answer of ${call.method} ${call.path} is not as expected: is the server of another release?`
  )

/** Calls a route, and decodes what it answers. */
export const caller = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const decode = Schema.decodeUnknownEffect(schema)
  return Effect.fnUntraced(function* (
    call: Call
  ): Effect.fn.Return<S["Type"], Effect.Error<ReturnType<Platform["Service"]["call"]>>, Platform> {
    const answer = yield* (yield* Platform).call(call)
    return yield* Effect.mapError(decode(answer), notAsExpected(call))
  })
}
