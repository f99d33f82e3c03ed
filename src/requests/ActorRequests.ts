/** `Requests` over the actors of this node. */
import { Effect, Layer } from "effect"
import * as Cancelling from "./Cancelling.ts"
import * as Reading from "./Reading.ts"
import { Requests } from "./Requests.ts"
import * as Submitting from "./Submitting.ts"

export const layer = Layer.effect(
  Requests,
  Effect.gen(function* () {
    const reading = yield* Reading.make
    const submit = yield* Submitting.make
    const cancel = yield* Cancelling.make(reading)
    return Requests.of({ ...reading, submit, cancel })
  })
)
