/**
 * The threads in which expressions are evaluated, apart from the one that serves: what they are applied to is a client's or a
 * provider's, and some steps of JSONata take as long as that likes. There are two: one for submits and runs, and one for
 * estimates, which cost nothing and so must not delay what is paid for. In each, evaluations take turns, so that none is
 * charged for another's time, and owners take turns, so that none waits for all that another one asks for. A thread is
 * started with the first evaluation, and anew when it had to be ended.
 */
import { Effect, Exit, Schema } from "effect"
import { WorkerLost } from "#src/kernel/threads/WorkerLost.ts"
import * as WorkerThread from "#src/kernel/threads/WorkerThread.ts"
import { Answer, type Evaluation } from "./Evaluation.ts"
import { EvaluationFor, type EvaluatorBusy } from "./EvaluationFor.ts"
import * as FairTurns from "./FairTurns.ts"
import * as Limits from "./Limits.ts"

const options = { file: new URL("./Thread.ts", import.meta.url), heapMb: Limits.heapMb, muted: false }

/** How long a thread may take to begin, on a machine that is busy. */
const beginning = "30 seconds"

const decode = Schema.decodeUnknownEffect(Answer)

const nothing: Evaluation = { text: "null", value: null, bindings: {} }

const late = () => Effect.fail(new WorkerLost({ reason: "deadline" }))

const makeLane = () => {
  const turns = FairTurns.make()
  let ready: WorkerThread.Thread | null = null

  /** A thread that fails a task, or does not answer in time, is ended: it may still be at it. */
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

  return (owner: string, room: FairTurns.Room | null, task: Evaluation) =>
    turns.run(
      owner,
      room,
      Effect.flatMap(take, (thread) => exchange(thread, task, Limits.hardMs))
    )
}

const paid = makeLane()
const free = makeLane()

/** Fails when the evaluation took too long, too much memory, or the thread with it; runs are never told to come again. */
export const evaluate = (task: Evaluation): Effect.Effect<Answer, WorkerLost | EvaluatorBusy> =>
  Effect.flatMap(EvaluationFor, ({ owner, purpose }) => {
    const room = purpose === "run" ? null : Limits.rooms[purpose]
    const lane = purpose === "estimate" ? free : paid
    return Effect.flatMap(lane(owner, room, task), (answer) => Effect.orDie(decode(answer)))
  })
