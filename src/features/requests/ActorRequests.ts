/** `Requests` over the actors of this node, and over its history where the log cannot be read. */
import { Effect, Layer } from "effect"
import { History } from "#projections/history/History.ts"
import * as Cancelling from "./Cancelling.ts"
import * as Reading from "./Reading.ts"
import { Requests } from "./Requests.ts"
import * as Submitting from "./Submitting.ts"

export const layer = Layer.effect(
  Requests,
  Effect.gen(function* () {
    const reading = yield* Reading.make
    const submitting = yield* Submitting.make
    const cancel = yield* Cancelling.make(reading)
    return Requests.of({ ...reading, ...submitting, cancel })
  })
).pipe(Layer.provide(History.layer))
