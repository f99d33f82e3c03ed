/** Starts and controls the event stream readers. */
import { Effect } from "effect"
import * as Program from "../../harness/Program.ts"
import * as Reading from "./Reading.ts"

export const start = Effect.gen(function* () {
  const program = yield* Program.start({
    name: "the readers",
    args: ["bench/subjects/streams/Reader.ts"],
    end: "stdin"
  })
  return {
    open: (order: Omit<typeof Reading.Open.Type, "_tag">) =>
      Effect.andThen(program.send({ _tag: "Open", ...order }), Program.document(program, Reading.Opened)),
    measure: (order: Omit<Reading.Measure, "_tag">) =>
      Effect.andThen(program.send({ _tag: "Measure", ...order }), Program.document(program, Reading.Measured))
  }
})
