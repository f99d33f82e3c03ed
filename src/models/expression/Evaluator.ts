/**
 * The thread in which expressions are evaluated, apart from the one that serves: what they are applied to is a client's or a
 * provider's, and some steps of JSONata take as long as that likes. There is one, for all expressions in turn, so that none is
 * charged for another's time; it is started with the first, and anew when one had to be ended.
 */
import { Effect, Exit, Schema, Semaphore } from "effect"
import { WorkerLost } from "#src/threads/WorkerLost.ts"
import * as WorkerThread from "#src/threads/WorkerThread.ts"
import { Answer, type Evaluation } from "./Evaluation.ts"
import * as Limits from "./Limits.ts"

const options = { file: new URL("./Thread.ts", import.meta.url), heapMb: Limits.heapMb, muted: false }

/** How long a thread may take to begin, on a machine that is busy. */
const beginning = "30 seconds"

const turn = Semaphore.makeUnsafe(1)
let ready: WorkerThread.Thread | null = null

const decode = Schema.decodeUnknownEffect(Answer)

const nothing: Evaluation = { text: "null", value: null, bindings: {} }

const late = () => Effect.fail(new WorkerLost({ reason: "deadline" }))

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

/** Fails when the evaluation took too long, too much memory, or the thread with it. */
export const evaluate = (task: Evaluation): Effect.Effect<Answer, WorkerLost> =>
  turn.withPermit(
    Effect.flatMap(take, (thread) => exchange(thread, task, Limits.hardMs)).pipe(
      Effect.flatMap((answer) => Effect.orDie(decode(answer)))
    )
  )
