/** Starts and controls the webhook receivers. */
import { Effect, Schema } from "effect"
import * as Program from "../../harness/Program.ts"
import { BenchFailed } from "../../harness/Subject.ts"

export type Scheme = "http" | "https"

const Receiving = Schema.Struct({ port: Schema.Int, deadPorts: Schema.Array(Schema.Int) })
export type Receiving = typeof Receiving.Type

const Received = Schema.Struct({
  operations: Schema.Int,
  /** Time from the first to the last POST, ms. */
  elapsedMs: Schema.Number,
  /** Time from due to received. */
  latencyMs: Schema.Struct({ p50: Schema.Number, p99: Schema.Number })
})
export type Received = typeof Received.Type

/** Time limit for all counted POSTs, ms. */
const patienceMs = 180_000

export const start = Effect.fnUntraced(function* (scheme: Scheme, dead = 0) {
  const program = yield* Program.start({
    name: "the receiver",
    args: ["bench/subjects/webhooks/Receiver.ts", scheme, String(dead)],
    end: "stdin"
  })
  const { deadPorts, port } = yield* Program.document(program, Receiving)
  const urlOf = (port: number) => `${scheme}://127.0.0.1:${port}/webhooks?due=`
  return {
    /** URLs without the due time. */
    url: urlOf(port),
    deadUrls: deadPorts.map(urlOf),
    /** Starts to count. The returned effect waits until `wanted` POSTs have arrived. */
    expect: Effect.fnUntraced(function* (wanted: number) {
      yield* program.send(wanted)
      return Program.document(program, Received).pipe(
        Effect.timeoutOrElse({
          duration: patienceMs,
          orElse: () => Effect.fail(new BenchFailed({ reason: "the webhooks did not arrive" }))
        })
      )
    })
  }
})
