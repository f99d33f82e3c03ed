import type { PayloadRef } from "../PayloadRef.ts"
import type { AttemptError, DeliveryScheduled, Event } from "./Event.ts"

export type State = { readonly _tag: "NotScheduled" } | Delivery

/** What caused an attempt: the schedule, a replay of this delivery, or a recovery. */
type Trigger = "schedule" | "replay" | "recover"

export interface Attempt {
  /** When it began, Unix time in ms like all times here. */
  readonly at: number
  readonly responseStatus: number | null
  /** `null` while it is under way, and when it was lost. */
  readonly durationMs: number | null
  readonly error: AttemptError | null
  readonly trigger: Trigger
}

/** A payload with what the receiver answered. */
interface KeptAnswer {
  readonly attempt: number
  readonly name: string
  readonly ref: PayloadRef
}

export type Phase =
  | { readonly _tag: "Pending"; readonly nextAttemptAt: number; readonly trigger: Trigger }
  | { readonly _tag: "Delivering"; readonly attempt: number; readonly node: string }
  | { readonly _tag: "Delivered"; readonly at: number }
  | { readonly _tag: "Failed" }

export interface Delivery {
  readonly _tag: "Delivery"
  readonly scheduled: DeliveryScheduled
  readonly phase: Phase
  /** All attempts so far. */
  readonly attempts: number
  /** Attempts since it was scheduled or last replayed. */
  readonly used: number
  readonly lastResponseStatus: number | null
  readonly lastError: AttemptError | null
  /** Time of the last success. A replay does not clear it. */
  readonly deliveredAt: number | null
  readonly updatedAt: number
  /** The newest attempts, oldest first. */
  readonly history: ReadonlyArray<Attempt>
  /** What the receiver answered with attempts, oldest first, as far as it was kept. */
  readonly answers: ReadonlyArray<KeptAnswer>
  /** The last recovery that replayed it. */
  readonly recoveryId: string | null
  readonly isErased: boolean
}

/** The most attempts in `history`. */
export const maxHistory = 100

/** The error shown for a lost attempt: to the receiver it looked like a closed connection. */
const lostError: AttemptError = "connection_failed"

export const initial: State = { _tag: "NotScheduled" }

export const evolve = (state: State, event: Event): State => {
  if (event._tag === "DeliveryScheduled") return scheduled(event)
  if (state._tag === "NotScheduled") return state
  const updated = { ...state, updatedAt: event.at }
  switch (event._tag) {
    case "AttemptStarted": {
      const { attempt, node } = event
      const trigger = state.phase._tag === "Pending" ? state.phase.trigger : "schedule"
      const begun: Attempt = { at: event.at, responseStatus: null, durationMs: null, error: null, trigger }
      return {
        ...updated,
        phase: { _tag: "Delivering", attempt, node },
        attempts: attempt,
        used: state.used + 1,
        history: [...state.history, begun].slice(-maxHistory)
      }
    }
    case "AttemptSucceeded": {
      const { at, durationMs, responseStatus } = event
      return {
        ...ended(updated, { responseStatus, durationMs, error: null }),
        answers: withAnswer(state, event),
        phase: { _tag: "Delivered", at },
        deliveredAt: at
      }
    }
    case "AttemptFailed": {
      const { durationMs, error, nextAttemptAt, responseStatus } = event
      return {
        ...ended(updated, { responseStatus, durationMs, error }),
        answers: withAnswer(state, event),
        phase: after(nextAttemptAt)
      }
    }
    case "AttemptLost":
      return {
        ...ended(updated, { responseStatus: null, durationMs: null, error: lostError }),
        phase: after(event.nextAttemptAt)
      }
    case "DeliveryFailed":
      return { ...updated, phase: { _tag: "Failed" } }
    case "ReplayRequested": {
      const { at, recoveryId } = event
      const trigger = recoveryId === undefined ? "replay" : "recover"
      return {
        ...updated,
        phase: { _tag: "Pending", nextAttemptAt: at, trigger },
        used: 0,
        recoveryId: recoveryId ?? state.recoveryId
      }
    }
    case "PayloadsErased":
      return { ...updated, isErased: true }
  }
}

const after = (nextAttemptAt: number | null): Phase =>
  nextAttemptAt === null ? { _tag: "Failed" } : { _tag: "Pending", nextAttemptAt, trigger: "schedule" }

const ended = (state: Delivery, end: Omit<Attempt, "at" | "trigger">): Delivery => ({
  ...state,
  lastResponseStatus: end.responseStatus,
  lastError: end.error,
  history: state.history.map((attempt, index) =>
    index === state.history.length - 1 ? { ...attempt, ...end } : attempt
  )
})

const withAnswer = (
  { answers }: Delivery,
  {
    attempt,
    payloads = {}
  }: { readonly attempt: number; readonly payloads?: Readonly<Record<string, PayloadRef>> }
): ReadonlyArray<KeptAnswer> => [
  ...answers,
  ...Object.entries(payloads).map(([name, ref]) => ({ attempt, name, ref }))
]

const scheduled = (event: DeliveryScheduled): Delivery => ({
  _tag: "Delivery",
  scheduled: event,
  phase: { _tag: "Pending", nextAttemptAt: event.at, trigger: "schedule" },
  attempts: 0,
  used: 0,
  lastResponseStatus: null,
  lastError: null,
  deliveredAt: null,
  updatedAt: event.at,
  history: [],
  answers: [],
  recoveryId: null,
  isErased: false
})
