/**
 * The threads that evaluate expressions, because their values come from outside and some steps of JSONata take
 * arbitrarily long. Submits and runs have one, estimates another, so that free calls do not delay paid ones.
 * Evaluations and owners take turns. A thread starts with its first evaluation, and again after it was ended.
 */
import { Effect, Exit, Schema } from "effect"
import { WorkerLost } from "#src/kernel/threads/WorkerLost.ts"
import * as WorkerThread from "#src/kernel/threads/WorkerThread.ts"
import { Answer, type Evaluation } from "./Evaluation.ts"
import { EvaluationFor, type EvaluatorBusy } from "./EvaluationFor.ts"
import * as RoundRobin from "./RoundRobin.ts"
import * as Limits from "./Limits.ts"

const options = { file: new URL("./Thread.ts", import.meta.url), heapMb: Limits.heapMb, muted: false }

/** How long a thread may take to start on a busy machine. */
const beginning = "30 seconds"

const decode = Schema.decodeUnknownEffect(Answer)

const nothing: Evaluation = { text: "null", value: null, bindings: {} }

const late = () => Effect.fail(new WorkerLost({ reason: "deadline" }))

const makeLane = () => {
  const turns = RoundRobin.make()
  let ready: WorkerThread.Thread | null = null

  /** A thread that fails or does not answer in time is ended, because it may still be running. */
  const exchange = (thread: WorkerThread.Thread, task: Evaluation, duration: typeof beginning | number) =>
    WorkerThread.exchange(thread, task).pipe(
      Effect.timeoutOrElse({ duration, orElse: late }),
      Effect.onExit((exit) => {
        if (Exit.isSuccess(exit)) return Effect.void
        ready = null
        return Effect.forkDetach(WorkerThread.terminate(thread))
      })
    )

  const begin = Effect.suspend(() => {
    const thread = WorkerThread.start(options)
    return Effect.as(exchange(thread, nothing, beginning), thread).pipe(
      Effect.tap(() => Effect.sync(() => (ready = thread)))
    )
  })

  const take = Effect.suspend(() =>
    ready === null || WorkerThread.isEnded(ready) ? begin : Effect.succeed(ready)
  )

  return (owner: string, room: RoundRobin.Room | null, task: Evaluation) =>
    turns.run(
      owner,
      room,
      Effect.flatMap(take, (thread) => exchange(thread, task, Limits.hardMs))
    )
}

const paid = makeLane()
const free = makeLane()

/** Fails if the evaluation exceeds its time or memory, or ends its thread; runs are never refused. */
export const evaluate = (task: Evaluation): Effect.Effect<Answer, WorkerLost | EvaluatorBusy> =>
  Effect.flatMap(EvaluationFor, ({ owner, purpose }) => {
    const room = purpose === "run" ? null : Limits.rooms[purpose]
    const lane = purpose === "estimate" ? free : paid
    return Effect.flatMap(lane(owner, room, task), (answer) => Effect.orDie(decode(answer)))
  })
