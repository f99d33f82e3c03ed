/** A request that this node has claimed, and has to run. */
import type { RequestId } from "#domain/Ids.ts"
import type { Request } from "#domain/inference-request/State.ts"
import type { Lease } from "#src/kernel/limits/MemoryBudget.ts"

export interface Claimed {
  readonly id: RequestId
  /** The state after the claim; its newest run is the one to perform. */
  readonly request: Request
  /** The provider's job, if a previous process started it. */
  readonly jobId: string | null
  /** Memory for the input; `null` if none is taken yet. Released with the run's slot. */
  readonly memory: Lease | null
}
