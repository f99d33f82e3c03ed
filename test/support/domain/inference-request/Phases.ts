/** Every phase of a request, as the events that lead there. */
import type { Event } from "#domain/inference-request/Event.ts"
import * as Story from "./Story.ts"

const dispatched: ReadonlyArray<Event> = [Story.submitted, Story.dispatched()]
const accepted: ReadonlyArray<Event> = [
  ...dispatched,
  { _tag: "ProviderAccepted", at: 2_500, attempt: 1, jobId: "job-1" }
]
const running: ReadonlyArray<Event> = [...dispatched, Story.started()]
const finalizing: ReadonlyArray<Event> = [...running, Story.receivedWithMedia]
const completed: ReadonlyArray<Event> = [...running, Story.received, Story.completed]

export const open = {
  queued: [Story.submitted],
  dispatched,
  accepted,
  "taken over": [...accepted, { _tag: "RunTakenOver", at: 2_750, attempt: 1, node: "node-2" }],
  running,
  "dispatched, to be cancelled": [...dispatched, Story.cancelAsked],
  "running, to be cancelled": [...running, Story.cancelAsked],
  "queued again": [...running, Story.requeued(1, 4_250)],
  finalizing,
  "finalizing, to be cancelled": [...running, Story.cancelAsked, Story.receivedWithMedia]
} satisfies Record<string, ReadonlyArray<Event>>

export const terminal = {
  completed,
  "completed with files": [...finalizing, Story.mediaStored, { ...Story.completed, at: 6_000 }],
  failed: [...running, Story.failed],
  "cancelled while queued": [Story.submitted, Story.cancelAsked, Story.cancelled()],
  "cancelled while running": [...running, Story.cancelAsked, Story.cancelled()],
  "cancelled between two runs": [...running, Story.requeued(1, 9_000), Story.cancelAsked, Story.cancelled()],
  expired: [...running, Story.cancelled("expired")],
  "expired while finalizing": [...finalizing, Story.cancelled("expired")],
  "given up while running": [...running, Story.forceFailed(5_000)],
  "given up while finalizing": [...finalizing, Story.forceFailed(5_000)],
  erased: [...completed, Story.erased(["input", "output"], false)]
} satisfies Record<string, ReadonlyArray<Event>>

const notSubmitted: ReadonlyArray<Event> = []

export const all = { "not submitted": notSubmitted, ...open, ...terminal }
export type Phase = keyof typeof all
