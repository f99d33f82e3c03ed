/** The current state of a request. */
import type { Violation } from "../Outcome.ts"
import type { PayloadRef } from "../PayloadRef.ts"
import type { Quantity } from "../Money.ts"
import type { UpstreamError } from "../UpstreamError.ts"
import type { Billing, ErasureReason, Event, MediaPlan, RequestSubmitted, StoredMedia } from "./Event.ts"
import * as LogLines from "./LogLines.ts"

export type State = { readonly _tag: "NotSubmitted" } | Request

export interface Request {
  readonly _tag: "Request"
  readonly submitted: RequestSubmitted
  readonly phase: Phase
  /** Number of the latest run. 0 before the first. */
  readonly attempt: number
  /** The number of runs that ended in a transport error, and of runs lost with their node. */
  readonly retries: { readonly transport: number; readonly lost: number }
  /** The number of crashes in a row during its runs (`Crashes`). */
  readonly crashes: number
  /** When a provider first started it, Unix time in ms. The request is `IN_PROGRESS` from then on, also between two runs. */
  readonly startedAt: number | null
  readonly progress: number | null
  readonly logs: ReadonlyArray<string>
  readonly cancelRequested: boolean
  /** Whether a cancel stopped the run that made the output, which is then a part of what was asked for. */
  readonly isCut: boolean
  /** The payload for clients, with the URLs of stored files once there are any. */
  readonly output: { readonly name: "output" | "result"; readonly ref: PayloadRef } | null
  /** The output of the provider. */
  readonly rawOutput: PayloadRef | null
  /** Files that the output names, with the ids for their copies. */
  readonly plannedMedia: ReadonlyArray<MediaPlan>
  /** Those files, once stored. */
  readonly media: ReadonlyArray<StoredMedia>
  /** Where the output breaks the model's schema. */
  readonly violations: ReadonlyArray<Violation>
  /** The number of retries by the sweep. */
  readonly sweepRetries: number
  /** The number of these retries because a host did not return a file. */
  readonly mediaRetries: number
  readonly erasure: Erasure | null
  /** The run whose end ended the request or preceded its end. Its outcome, reported again, is not late. */
  readonly endedBy: number | null
  /** Runs that ended after the request. */
  readonly ignored: ReadonlyArray<number>
}

export type Phase = Open | Terminal

export type Open =
  /** Waits for a run, which may start at or after `dueAt`. */
  | { readonly _tag: "Queued"; readonly dueAt: number }
  /** A node has claimed a run. */
  | { readonly _tag: "Dispatched"; readonly run: Run }
  | {
      readonly _tag: "Running"
      readonly run: Run
      readonly runStartedAt: number
      /** When progress was last reported. Absent before the first report. */
      readonly heardAt?: number
    }
  /** The run is over, and the files that its output names are being stored, from `dueAt` on if that failed before. */
  | {
      readonly _tag: "Finalizing"
      readonly run: Run
      readonly inferenceMs: number | null
      readonly delivered: Quantity
      readonly dueAt: number
    }

export type Terminal =
  | {
      readonly _tag: "Completed"
      readonly at: number
      readonly billing: Billing
      readonly error: string | null
      readonly upstream?: UpstreamError
      /** The provider's time for the last run, ms. */
      readonly inferenceMs: number | null
    }
  | {
      readonly _tag: "Failed"
      readonly at: number
      readonly message: string
      readonly upstream?: UpstreamError
    }
  | { readonly _tag: "Cancelled"; readonly at: number; readonly reason: "requested" | "expired" }

/** The erasure of input and output. */
export interface Erasure {
  readonly at: number
  readonly reason: ErasureReason
  readonly erased: ReadonlyArray<string>
  /** Whether data outside the request's stream remains to be removed: files, webhook bodies. */
  readonly hasFiles: boolean
}

export interface Run {
  readonly provider: string
  readonly node: string
  /** The provider's id of the job if the provider outlives the server. */
  readonly jobId: string | null
}

export const initial: State = { _tag: "NotSubmitted" }

export const isTerminal = <P extends { readonly _tag: Phase["_tag"] }>(
  phase: P
): phase is Extract<P, { readonly _tag: Terminal["_tag"] }> => {
  const { _tag }: { readonly _tag: Phase["_tag"] } = phase
  switch (_tag) {
    case "Queued":
    case "Dispatched":
    case "Running":
    case "Finalizing":
      return false
    case "Completed":
    case "Failed":
    case "Cancelled":
      return true
  }
}

/** Whether nothing more is owed to it: it has ended, and no erasure of it is under way. */
export const isSettled = (state: State): boolean =>
  state._tag === "Request" && isTerminal(state.phase) && state.erasure?.hasFiles !== true

export const evolve = (state: State, event: Event): State => {
  if (event._tag === "RequestSubmitted") return submitted(event)
  if (state._tag === "NotSubmitted") return state
  switch (event._tag) {
    case "DispatchStarted": {
      const { node, provider } = event
      return {
        ...state,
        attempt: event.attempt,
        phase: { _tag: "Dispatched", run: { node, provider, jobId: null } }
      }
    }
    case "ProviderAccepted":
      return "run" in state.phase
        ? { ...state, phase: { ...state.phase, run: { ...state.phase.run, jobId: event.jobId } } }
        : state
    case "RunTakenOver":
      return "run" in state.phase
        ? { ...state, phase: { ...state.phase, run: { ...state.phase.run, node: event.node } } }
        : state
    case "RequestStarted":
      return "run" in state.phase
        ? {
            ...state,
            startedAt: state.startedAt ?? event.at,
            phase: { _tag: "Running", run: state.phase.run, runStartedAt: event.at }
          }
        : state
    case "ProgressReported":
      return {
        ...state,
        progress: event.fraction ?? state.progress,
        logs: event.logs.length === 0 ? state.logs : LogLines.newest([...state.logs, ...event.logs]),
        phase: state.phase._tag === "Running" ? { ...state.phase, heardAt: event.at } : state.phase
      }
    case "OutputReceived":
      return outputReceived(state, event)
    case "OutputRejected":
      return { ...state, violations: event.violations }
    case "RequestCompleted": {
      const { at, billing, error } = event
      const inferenceMs = inferenceMsUntil(at, state.phase)
      return {
        ...state,
        phase: { _tag: "Completed", at, billing, error, inferenceMs, ...upstreamOf(event) },
        endedBy: event.attempt
      }
    }
    case "RequestFailed":
      return {
        ...state,
        phase: { _tag: "Failed", at: event.at, message: event.message, ...upstreamOf(event) },
        endedBy: event.attempt
      }
    case "RequestCancelled":
      return {
        ...state,
        phase: { _tag: "Cancelled", at: event.at, reason: event.reason },
        endedBy: event.reason === "requested" && "run" in state.phase ? state.attempt : endedRun(state)
      }
    case "CancelRequested":
      return { ...state, cancelRequested: true }
    case "RequestRequeued":
      return {
        ...state,
        phase: { _tag: "Queued", dueAt: event.dueAt },
        crashes: event.crashes ?? 0,
        retries: {
          transport: state.retries.transport + (event.reason === "transport_error" ? 1 : 0),
          lost: state.retries.lost + (event.reason === "lost" ? 1 : 0)
        }
      }
    case "LateOutcomeIgnored":
      return { ...state, ignored: [...state.ignored, event.attempt] }
    case "MediaStored": {
      const result = event.payloads?.result
      return {
        ...state,
        media: event.media,
        output: result === undefined ? state.output : { name: "result", ref: result }
      }
    }
    case "SweepRetried":
      return {
        ...state,
        sweepRetries: event.retry,
        mediaRetries: state.mediaRetries + (event.host === undefined ? 0 : 1),
        phase: sweptPhase(state.phase, event.dueAt)
      }
    case "RequestForceFailed":
      return {
        ...state,
        phase: { _tag: "Failed", at: event.at, message: event.message },
        endedBy: endedRun(state)
      }
    case "PayloadsErased": {
      const { at, erased, hasFiles, reason } = event
      return { ...state, erasure: { at, erased, hasFiles, reason } }
    }
    case "ErasedFilesRemoved":
      return state.erasure === null ? state : { ...state, erasure: { ...state.erasure, hasFiles: false } }
  }
}

const upstreamOf = ({ upstream }: { readonly upstream?: UpstreamError }) =>
  upstream === undefined ? {} : { upstream }

/** The run whose end is already on the log, when the request ends while files are being stored. */
const endedRun = ({ attempt, phase }: Request): number | null =>
  phase._tag === "Finalizing" ? attempt : null

/** The provider's time for the run that ended, ms. */
const inferenceMsUntil = (at: number, phase: Phase): number | null => {
  if (phase._tag === "Finalizing") return phase.inferenceMs
  return phase._tag === "Running" ? Math.max(at - phase.runStartedAt, 0) : null
}

const outputReceived = (
  state: Request,
  event: Extract<Event, { readonly _tag: "OutputReceived" }>
): State => {
  const { at, cut: isCut = false, delivered, media = [], payloads } = event
  const output = { name: "output", ref: payloads.output } as const
  const received = { ...state, isCut, output, rawOutput: payloads.output, plannedMedia: media }
  if (!("run" in state.phase)) return received
  const { run } = state.phase
  const inferenceMs = inferenceMsUntil(at, state.phase)
  return { ...received, phase: { _tag: "Finalizing", run, inferenceMs, delivered, dueAt: at } }
}

/** A lost run is repeated. Missing files are stored again. */
const sweptPhase = (phase: Phase, dueAt: number): Phase => {
  switch (phase._tag) {
    case "Finalizing":
      return { ...phase, dueAt }
    case "Queued":
    case "Dispatched":
    case "Running":
      return { _tag: "Queued", dueAt }
    case "Completed":
    case "Failed":
    case "Cancelled":
      return phase
  }
}

const submitted = (event: RequestSubmitted): Request => ({
  _tag: "Request",
  submitted: event,
  phase: { _tag: "Queued", dueAt: event.at },
  attempt: 0,
  retries: { transport: 0, lost: 0 },
  crashes: 0,
  startedAt: null,
  progress: null,
  logs: [],
  cancelRequested: false,
  isCut: false,
  output: null,
  rawOutput: null,
  plannedMedia: [],
  media: [],
  violations: [],
  sweepRetries: 0,
  mediaRetries: 0,
  erasure: null,
  endedBy: null,
  ignored: []
})
