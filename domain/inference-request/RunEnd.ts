/**
 * The consequences of the end of a run (decisions, "Failure views"): the request ends with its only charge, runs again, or
 * is unchanged because it had ended before.
 */
import * as Pricing from "../Pricing.ts"
import * as RetrySchedule from "../RetrySchedule.ts"
import { type Quantity, units, zero } from "../Money.ts"
import type { UpstreamError } from "../UpstreamError.ts"
import type { Command } from "./Command.ts"
import * as Crashes from "./Crashes.ts"
import * as Deadlines from "./Deadlines.ts"
import type { Event } from "./Event.ts"
import { isTerminal, type Request } from "./State.ts"

type RecordOutcome = Extract<Command, { readonly _tag: "RecordOutcome" }>
type RecordMedia = Extract<Command, { readonly _tag: "RecordMedia" }>
type RefuseMedia = Extract<Command, { readonly _tag: "RefuseMedia" }>

/** The end of the current run. */
export const endOfRun = (command: RecordOutcome, state: Request): ReadonlyArray<Event> => {
  const { at, attempt, outcome } = command
  if (Deadlines.isPastEnd(state, at)) {
    return [
      ...Deadlines.expire(at, state),
      { _tag: "LateOutcomeIgnored", at, attempt, outcome: outcome._tag }
    ]
  }
  if (state.cancelRequested && !hasRun(outcome)) return [cancelled(at)]
  switch (outcome._tag) {
    case "Succeeded":
      if (outcome.cut === true && !state.cancelRequested) return stopped(command, state)
      return [...started(command, state), ...succeeded(command, state, outcome)]
    case "ModelFailed":
      return [...started(command, state), unbilled(at, attempt, outcome.message, upstreamOf(outcome))]
    case "ProviderError":
      return outcome.retryable
        ? retry(command, state, { reason: "transport_error", ...outcome })
        : [failed(command, { reason: "refused", ...outcome })]
    case "Lost":
      return outcome.crashed === true
        ? crashed(command, state, outcome.message)
        : retry(command, state, { ...outcome, reason: "lost" })
    case "Unreachable": {
      // The request keeps its position in the queue, because it waits only for the provider.
      const dueAt = Math.min(state.submitted.at, at)
      return [{ ...requeued(command, dueAt), reason: "unreachable", message: outcome.message }]
    }
    case "RateLimited":
      return [{ ...requeued(command, at + outcome.retryAfterMs), reason: "rate_limited", message: null }]
    case "Stopped":
      return stopped(command, state)
  }
}

/** Whether the model ran to its end, or until a cancel stopped it after it had delivered something. */
const hasRun = (outcome: RecordOutcome["outcome"]): boolean =>
  outcome._tag === "Succeeded"
    ? outcome.cut !== true || (outcome.delivered > 0n && outcome.output.violations.length === 0)
    : outcome._tag === "ModelFailed"

const cancelled = (at: number): Event => ({ _tag: "RequestCancelled", at, reason: "requested" })

/** The provider stopped a run that no client has cancelled. */
const stopped = (command: RecordOutcome, state: Request): ReadonlyArray<Event> =>
  retry(command, state, { reason: "lost", message: "The provider stopped the run." })

const succeeded = (
  { at, attempt }: RecordOutcome,
  state: Request,
  { cut, delivered, output }: Extract<RecordOutcome["outcome"], { readonly _tag: "Succeeded" }>
): ReadonlyArray<Event> => {
  const { media = [], ref, violations } = output
  const isCut = cut === true
  const received: Event = {
    _tag: "OutputReceived",
    at,
    attempt,
    delivered,
    ...(isCut && { cut }),
    payloads: { output: ref }
  }
  if (violations.length > 0) {
    return [received, { _tag: "OutputRejected", at, attempt, violations }, unbilled(at, attempt, null)]
  }
  if (delivered === 0n && isShort(state, delivered)) {
    return [received, unbilled(at, attempt, "The provider delivered nothing.")]
  }
  return media.length > 0
    ? [{ ...received, media }]
    : [received, billed(at, attempt, { ...state, isCut }, delivered)]
}

/** The files of the output are stored, so the request completes. */
export const mediaStored = (
  { at, attempt, media, result }: RecordMedia,
  state: Request
): ReadonlyArray<Event> => {
  if (state.phase._tag !== "Finalizing" || state.attempt !== attempt) return []
  if (Deadlines.isPastEnd(state, at)) return Deadlines.expire(at, state)
  return [
    { _tag: "MediaStored", at, attempt, media, ...(result === null ? {} : { payloads: { result } }) },
    billed(at, attempt, state, state.phase.delivered)
  ]
}

export const mediaRefused = ({ at, attempt, message }: RefuseMedia, state: Request): ReadonlyArray<Event> => {
  if (state.phase._tag !== "Finalizing" || state.attempt !== attempt) return []
  if (Deadlines.isPastEnd(state, at)) return Deadlines.expire(at, state)
  // Without its files, nothing of what a cancelled run made is delivered.
  return [state.isCut ? cancelled(at) : unbilled(at, attempt, message)]
}

/** The start of the run if it is not on the log yet: a fast run appends its start and its end together. */
const started = (command: RecordOutcome, state: Request): ReadonlyArray<Event> =>
  state.phase._tag === "Dispatched" && command.startedAt !== null
    ? [{ _tag: "RequestStarted", at: command.startedAt, attempt: command.attempt }]
    : []

interface Failure {
  readonly reason: "transport_error" | "lost" | "refused"
  readonly message: string
  readonly upstream?: UpstreamError
}

const upstreamOf = ({ upstream }: Pick<Failure, "upstream">) => (upstream === undefined ? {} : { upstream })

const failed = ({ at, attempt }: RecordOutcome, { message, reason, ...rest }: Failure): Event => ({
  _tag: "RequestFailed",
  at,
  attempt,
  reason,
  message,
  ...upstreamOf(rest)
})

type Retried = Failure & { readonly reason: "transport_error" | "lost"; readonly worker?: true }

/** The schedule of the reason, and how many such runs there were before. */
const scheduleOf = ({ reason, worker }: Retried, { retries, submitted }: Request) => {
  if (reason === "transport_error") return { schedule: submitted.retry, before: retries.transport }
  const schedule = worker === true ? RetrySchedule.lostWorkers : RetrySchedule.lostRuns
  return { schedule, before: retries.lost }
}

const retry = (command: RecordOutcome, state: Request, failure: Retried): ReadonlyArray<Event> => {
  const { message, reason, worker } = failure
  const { before, schedule } = scheduleOf(failure, state)
  const delay = RetrySchedule.delay(schedule, before + 1)
  if (delay !== null)
    return [{ ...requeued(command, command.at + delay), reason, message, ...upstreamOf(failure) }]
  const lost = `${message} This was lost run ${before + 1} of the request, and the last.`
  return [failed(command, worker === true ? { ...failure, message: lost } : failure)]
}

/** Counts a crash. Any other end of a run resets the count (`RequestRequeued`, `crashes`). */
const crashed = (command: RecordOutcome, state: Request, message: string): ReadonlyArray<Event> => {
  const { at, attempt } = command
  const crashes = state.crashes + 1
  return crashes < Crashes.maxInARow
    ? retry(command, state, { reason: "lost", message }).map((event) =>
        event._tag === "RequestRequeued" ? { ...event, crashes } : event
      )
    : [{ _tag: "RequestFailed", at, attempt, reason: "lost", message: Crashes.message }]
}

export const requeued = (command: { readonly at: number; readonly attempt: number }, dueAt: number) =>
  ({ _tag: "RequestRequeued", at: command.at, attempt: command.attempt, dueAt }) as const

/** The end of a run other than the current one. After the request's own end it is recorded, without any effect. */
export const lateOutcome = (command: RecordOutcome, state: Request): ReadonlyArray<Event> =>
  command.attempt > state.attempt ||
  command.attempt === state.endedBy ||
  state.ignored.includes(command.attempt) ||
  !isTerminal(state.phase)
    ? []
    : [
        {
          _tag: "LateOutcomeIgnored",
          at: command.at,
          attempt: command.attempt,
          outcome: command.outcome._tag
        }
      ]

const notBilled = { status: "failed", amount: zero, units: units(0) } as const

/** Whether fewer units were delivered than requested (decisions, "partial"). */
const isShort = ({ submitted: { quote } }: Request, delivered: Quantity): boolean =>
  quote.quantity !== null && delivered < quote.quantity

const unbilled = (
  at: number,
  attempt: number,
  error: string | null,
  upstream: Pick<Failure, "upstream"> = {}
): Event => ({
  _tag: "RequestCompleted",
  at,
  attempt,
  billing: notBilled,
  error,
  ...upstream
})

const billed = (at: number, attempt: number, state: Request, delivered: Quantity): Event => ({
  _tag: "RequestCompleted",
  at,
  attempt,
  billing: {
    status: state.isCut || isShort(state, delivered) ? "partial" : "charged",
    amount: Pricing.charge(state.submitted.quote, delivered),
    units: delivered
  },
  error: null
})
