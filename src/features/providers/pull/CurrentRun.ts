import type { ProviderOutcome } from "#domain/Outcome.ts"
import type { Run, State } from "#domain/inference-request/State.ts"

/** Run `attempt` of a request while it is under way; `null` if it has ended or another run has begun. */
export const of = (state: State, attempt: number): Run | null =>
  state._tag === "Request" &&
  state.attempt === attempt &&
  (state.phase._tag === "Dispatched" || state.phase._tag === "Running")
    ? state.phase.run
    : null

/** For an ended run: whether the reported end is its end, and not a timeout or a stop. */
export const hasTaken = (state: State, attempt: number, { _tag }: ProviderOutcome): boolean => {
  if (state._tag !== "Request") return false
  const { phase } = state
  if (_tag !== "Succeeded" && _tag !== "ModelFailed") return !state.ignored.includes(attempt)
  return phase._tag === "Finalizing"
    ? state.attempt === attempt
    : phase._tag === "Completed" && state.endedBy === attempt
}
