/** Erases the payloads of a request for its owner (contract, "Erase payloads"). */
import { Effect } from "effect"
import type { RequestId } from "#domain/Ids.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import { Requests } from "#src/features/requests/Requests.ts"
import { Eraser } from "./Eraser.ts"

/** Erases input, output and files for good. Repeating it changes nothing. */
export const make = Effect.gen(function* () {
  const requests = yield* Requests
  const eraser = yield* Eraser

  return Effect.fn("PayloadErasing.erase")(function* (options: {
    readonly caller: Caller
    readonly id: RequestId
  }) {
    yield* requests.get(options)
    yield* eraser.erase(options.id, "requested")
  })
})
