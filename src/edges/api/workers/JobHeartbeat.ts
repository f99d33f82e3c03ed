/** `POST /workers/jobs/{leaseId}/heartbeat`: 200 with how long the lease lasts from now on. The body may be left out. */
import { Clock, Effect } from "effect"
import { WorkerCalls } from "#src/features/providers/workers/WorkerCalls.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as WorkerBodies from "./WorkerBodies.ts"
import * as WorkerView from "#src/features/providers/workers/WorkerView.ts"
import * as WorkerCall from "./WorkerCall.ts"

export const make = Effect.gen(function* () {
  const calls = yield* WorkerCalls

  return Effect.fnUntraced(function* (call: WorkerCall.JobCall) {
    const progress = yield* WorkerCall.read(call, WorkerBodies.parseHeartbeat)
    const heard = yield* calls.heartbeat(WorkerCall.ofLease(call), progress)
    return Answer.json(200, WorkerView.heard(heard, yield* Clock.currentTimeMillis))
  })
})
