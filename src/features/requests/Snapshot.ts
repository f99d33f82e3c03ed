/** Makes snapshots of requests. */
import type { RequestId } from "#domain/Ids.ts"
import { evolve, initial, type Request, type State } from "#domain/inference-request/State.ts"
import type { Current } from "#streams/LiveActors.ts"
import type { Snapshot } from "./Requests.ts"

/** `null` when there is no such request. */
export const of = (id: RequestId, { state, version }: Current<State>): Snapshot<Request> | null =>
  state._tag === "NotSubmitted" || version === null ? null : { id, request: state, version }

/** The request as its first answer showed it. A repeated submit under an `Idempotency-Key` gets this answer again. */
export const asSubmitted = (id: RequestId, current: Current<State>): Snapshot<Request> | null =>
  current.state._tag === "NotSubmitted"
    ? null
    : of(id, current.length === 1 ? current : { ...current, state: evolve(initial, current.state.submitted) })
