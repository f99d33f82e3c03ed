import type { Run, State } from "#domain/inference-request/State.ts"

/** Run `attempt` of a request, while it is under way; `null` when it has ended, or another one has begun. */
export const of = (state: State, attempt: number): Run | null =>
  state._tag === "Request" &&
  state.attempt === attempt &&
  (state.phase._tag === "Dispatched" || state.phase._tag === "Running")
    ? state.phase.run
    : null
