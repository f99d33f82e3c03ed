/** `POST /workers/jobs/{leaseId}/release`: 204 when the run is given back. The body may be left out. */
import { Effect } from "effect"
import { WorkerCalls } from "#src/features/providers/workers/WorkerCalls.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as WorkerBodies from "./WorkerBodies.ts"
import * as WorkerCall from "./WorkerCall.ts"

export const make = Effect.gen(function* () {
  const calls = yield* WorkerCalls

  return Effect.fnUntraced(function* (call: WorkerCall.JobCall) {
    const reason = yield* WorkerCall.read(call, WorkerBodies.parseRelease)
    yield* calls.release(WorkerCall.ofLease(call))
    if (reason !== null) {
      yield* Effect.logInfo(`A worker gave its job back: ${JSON.stringify(reason)}`).pipe(
        Effect.annotateLogs({ key_id: call.worker.keyId })
      )
    }
    return Answer.empty(204, Answer.noHeaders)
  })
})
