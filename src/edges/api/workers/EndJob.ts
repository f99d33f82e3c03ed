/** `POST /workers/jobs/{leaseId}/result`: 200 when the end of the run is on the log. */
import { Effect } from "effect"
import { WorkerCalls } from "#src/features/providers/workers/WorkerCalls.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as WorkerBodies from "./WorkerBodies.ts"
import type { RecordedBody } from "#src/features/providers/workers/WorkerView.ts"
import * as WorkerCall from "./WorkerCall.ts"

const recorded: typeof RecordedBody.Type = { recorded: true }

export const make = Effect.gen(function* () {
  const calls = yield* WorkerCalls

  return Effect.fnUntraced(function* (call: WorkerCall.JobCall) {
    const outcome = yield* WorkerCall.read(call, WorkerBodies.parseResult)
    yield* calls.end(WorkerCall.ofLease(call), outcome)
    return Answer.json(200, recorded)
  })
})
