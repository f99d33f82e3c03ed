/** Starts and calls the load generator. */
import { Effect } from "effect"
import { type Load, LoadAnswer } from "./Load.ts"
import * as Program from "./Program.ts"
import { BenchFailed } from "./Subject.ts"

/** Time allowed beyond the load's own time, s. */
const graceSeconds = 30

/** Starts a load generator. The returned function runs one load at a time. */
export const start = Effect.fnUntraced(function* (name: string) {
  const program = yield* Program.start({
    name: "the load generator",
    args: ["bench/harness/LoadGenerator.ts"],
    end: "stdin"
  })

  return Effect.fnUntraced(function* (load: Load) {
    yield* program.send(load)
    const answer = yield* Program.document(program, LoadAnswer).pipe(
      Effect.timeoutOrElse({
        duration: (load.seconds + graceSeconds) * 1000,
        orElse: () => Effect.fail(new BenchFailed({ reason: `${name} does not answer` }))
      })
    )
    if ("error" in answer) return yield* new BenchFailed({ reason: `${name}: ${answer.error}` })
    return answer
  })
})
