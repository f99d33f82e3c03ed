/** `Requests` over the actors of this node, and over its history where the log cannot be read. */
import { Effect, Layer } from "effect"
import * as Cancelling from "./Cancelling.ts"
import { Eraser } from "#src/features/retention/Eraser.ts"
import * as Reading from "./Reading.ts"
import { History } from "#projections/history/History.ts"
import { Requests } from "./Requests.ts"
import * as Submitting from "./Submitting.ts"

export const layer = Layer.effect(
  Requests,
  Effect.gen(function* () {
    const reading = yield* Reading.make
    const submitting = yield* Submitting.make
    const cancel = yield* Cancelling.make(reading)
    const eraser = yield* Eraser
    const erasePayloads: Requests["Service"]["erasePayloads"] = Effect.fn("Requests.erasePayloads")(
      function* (options) {
        const { id } = yield* reading.get(options)
        yield* eraser.erase(id, "requested")
      }
    )
    return Requests.of({ ...reading, ...submitting, cancel, erasePayloads })
  })
).pipe(Layer.provide(History.layer))
