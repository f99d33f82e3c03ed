/** Our server as the sender of webhooks that wait on its log. */
import { Effect, Option, Schema } from "effect"
import type * as Program from "../../harness/Program.ts"
import * as ScratchDirectory from "../../harness/ScratchDirectory.ts"
import { BenchFailed } from "../../harness/Subject.ts"
import * as Inferlog from "../Inferlog.ts"
import * as Scales from "../Scales.ts"
import * as Order from "./Order.ts"

const command = ["bench/subjects/webhooks/SenderServer.ts"]

/** Returns the next answer, and skips lines of the server's log. */
const answer = <S extends Schema.ConstraintDecoder<unknown>>(program: Program.Program, schema: S) => {
  const decode = Schema.decodeUnknownOption(Schema.fromJsonString(schema))
  return Effect.map(program.line, decode).pipe(
    Effect.repeat({ until: Option.isSome }),
    Effect.map((found) => Option.getOrThrow<S["Type"]>(found))
  )
}

export const serveIn = Effect.fnUntraced(function* (
  directory: string,
  settings: Readonly<Record<string, string>> = {}
) {
  const { pids, program } = yield* Inferlog.serveIn(directory, command, settings)
  const ask = <S extends Schema.ConstraintDecoder<unknown>>(order: Order.Order, schema: S) =>
    Effect.andThen(program.send(order), answer(program, schema))

  return {
    pids,
    /** Waits until they are recorded, which is before they are due unless `dueAt` is in the past. */
    schedule: Effect.fnUntraced(function* (order: Omit<Order.Schedule, "_tag">) {
      const { dueInMs } = yield* ask({ _tag: "Schedule", ...order }, Order.Scheduled)
      if (order.dueAt === null && dueInMs < 0)
        return yield* new BenchFailed({ reason: `deliveries were recorded ${-dueInMs} ms too late` })
    }),
    weigh: ask({ _tag: "Weigh" }, Scales.Weight)
  }
})

/** Starts a sender on a new data directory. `http` must be allowed explicitly, because it is for development. */
export const serve = Effect.flatMap(ScratchDirectory.make, (directory) =>
  serveIn(directory, { ALLOW_PRIVATE_TARGETS: "true" })
)

export type Sender = Effect.Success<ReturnType<typeof serveIn>>
