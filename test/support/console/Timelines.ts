/** Timelines in few words: the events of a request, with their times in ms and the phases after them. */
import type { Entry, State } from "#console/views/requests/timeline/Entry.ts"

const start = Date.parse("2026-01-05T12:00:00.000Z")

const state: State = {
  status: "IN_QUEUE",
  outcome: "pending",
  phase: "queued",
  attempt: 0,
  startedAt: null,
  dueAt: null,
  retries: { transport: 0, lost: 0, sweep: 0 },
  progress: null,
  logLines: 0,
  cancelRequested: false,
  input: "stored",
  output: "none",
  violations: 0,
  files: 0,
  hold: "0.002",
  cost: "0",
  error: null,
  deliveries: []
}

export const at = (ms: number): number => start + ms

let position = 0

export const event = (
  ms: number,
  type: string,
  after: Partial<State> = {},
  data: Entry["data"] = {}
): Entry => ({
  position: String(++position),
  type,
  at: new Date(at(ms)).toISOString(),
  data,
  chain: { ordinal: 0, previous: null, hash: "hash" },
  state: { ...state, ...after }
})

/** A run that fails and is repeated after 5 s, and a webhook that is accepted at the second attempt. */
export const repeated: ReadonlyArray<Entry> = [
  event(0, "RequestSubmitted", {}, { hold: "0.002" }),
  event(10, "DispatchStarted", { phase: "claimed", attempt: 1 }),
  event(20, "RequestStarted", { phase: "running", attempt: 1, status: "IN_PROGRESS" }),
  event(120, "RequestRequeued", { attempt: 1, status: "IN_PROGRESS" }, { reason: "transport_error" }),
  event(5_120, "DispatchStarted", { phase: "claimed", attempt: 2, status: "IN_PROGRESS" }),
  event(5_130, "RequestStarted", { phase: "running", attempt: 2, status: "IN_PROGRESS" }),
  event(5_330, "OutputReceived", { phase: "storing", attempt: 2, status: "IN_PROGRESS", output: "stored" }),
  event(
    5_330,
    "RequestCompleted",
    { phase: "ended", attempt: 2, status: "COMPLETED", output: "stored", hold: "0", cost: "0.001" },
    { cost: "0.001", error: null }
  ),
  event(5_340, "DeliveryScheduled", { phase: "ended" }, { deliveryId: "msg_1", event: "completed" }),
  event(5_350, "AttemptStarted", { phase: "ended" }, { deliveryId: "msg_1", attempt: 1 }),
  event(5_400, "AttemptFailed", { phase: "ended" }, { deliveryId: "msg_1", attempt: 1, responseStatus: 503 }),
  event(10_400, "AttemptStarted", { phase: "ended" }, { deliveryId: "msg_1", attempt: 2 }),
  event(
    10_420,
    "AttemptSucceeded",
    { phase: "ended" },
    { deliveryId: "msg_1", attempt: 2, responseStatus: 204 }
  )
]
