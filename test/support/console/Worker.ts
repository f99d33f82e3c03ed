/** A machine that fetches jobs of `acme/upscale`: it keeps its first one under way, and waits for others. */
import { setTimeout as delay } from "node:timers/promises"
import { Schema } from "effect"
import { caller, decode } from "./Calls.ts"
import { upscale } from "./Manifests.ts"

const Claimed = decode(Schema.NullOr(Schema.Struct({ job: Schema.Struct({ leaseId: Schema.String }) })))

/** ms. Much less than its lease, so that a slow machine does not lose the job. */
const betweenHeartbeats = 30_000

const identity = { "x-worker-id": "gpu-box-1", "x-worker-version": "upscale 2.1" }

/** Returns once the first job is under way. Works until `stopped`. */
export const start = async (origin: string, key: string, stopped: AbortSignal): Promise<void> => {
  const call = caller(origin, key)
  const claim = (wait: number) =>
    call("POST", "/workers/claim", { models: [upscale], wait }, identity).then(Claimed)
  const first = await claim(20)
  if (first === null) throw new Error("There is no job")
  const progress = { progress: 0.4, logs: ["Loaded the weights", "Step 8 of 20"] }
  const beat = (body: object) => call("POST", `/workers/jobs/${first.job.leaseId}/heartbeat`, body, identity)
  await beat(progress)
  const keep = async () => {
    for (;;) {
      await delay(betweenHeartbeats, undefined, { signal: stopped })
      await beat({ progress: progress.progress })
    }
  }
  const work = async () => {
    while (!stopped.aborted) {
      const next = await claim(60)
      if (next === null) continue
      await call("POST", `/workers/jobs/${next.job.leaseId}/result`, { output: { images: [] } }, identity)
    }
  }
  // It ends with the server.
  for (const task of [work(), keep()]) void task.catch(() => {})
}
