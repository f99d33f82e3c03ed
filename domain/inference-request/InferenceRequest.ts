/**
 * One inference request, from accepted to its end (contract, "States and transitions"). A terminal state is never left,
 * a repeated command yields no event, and the one charge is part of the event that completes the request.
 */
import { Result } from "effect"
import type { Aggregate } from "../Aggregate.ts"
import type { Decider } from "../Decider.ts"
import * as Pricing from "../Pricing.ts"
import * as RetrySchedule from "../RetrySchedule.ts"
import type { Command, Rejection } from "./Command.ts"
import { codec, type Event } from "./Event.ts"
import { evolve, initial, isTerminal, type Request, type State } from "./State.ts"
import { type Quantity, units, zero } from "../Money.ts"

type RecordOutcome = Extract<Command, { readonly _tag: "RecordOutcome" }>

const nothing: Result.Result<ReadonlyArray<Event>, never> = Result.succeed([])

const decide = (command: Command, state: State): Result.Result<ReadonlyArray<Event>, Rejection> => {
  if (state._tag === "NotSubmitted") {
    return command._tag === "Submit"
      ? Result.succeed([{ _tag: "RequestSubmitted", ...command.request }])
      : Result.fail({ _tag: "RequestNotFound" })
  }
  switch (command._tag) {
    case "Submit":
      return nothing
    case "Dispatch":
      return dispatch(command, state)
    case "RecordAccepted":
      return isCurrentRun(state, command.attempt) && state.phase.run.jobId === null
        ? Result.succeed([{ ...command, _tag: "ProviderAccepted" }])
        : nothing
    case "RecordStarted":
      return isCurrentRun(state, command.attempt) && state.phase._tag === "Dispatched"
        ? Result.succeed([{ ...command, _tag: "RequestStarted" }])
        : nothing
    case "RecordProgress":
      return isCurrentRun(state, command.attempt)
        ? Result.succeed([{ ...command, _tag: "ProgressReported" }])
        : nothing
    case "RecordOutcome":
      return isCurrentRun(state, command.attempt)
        ? Result.succeed(endOfRun(command, state))
        : Result.succeed(lateOutcome(command, state))
    case "Release":
      return isCurrentRun(state, command.attempt)
        ? Result.succeed([
            state.cancelRequested
              ? { _tag: "RequestCancelled", at: command.at, reason: "requested" }
              : { ...requeued(command, command.at), reason: "shutdown", message: null }
          ])
        : nothing
    case "Cancel":
      return Result.succeed(cancel(command, state))
  }
}

const dispatch = (
  command: Extract<Command, { readonly _tag: "Dispatch" }>,
  state: Request
): Result.Result<ReadonlyArray<Event>, Rejection> => {
  if (state.phase._tag !== "Queued" || state.phase.dueAt > command.at) {
    return Result.fail({ _tag: "NotDispatchable" })
  }
  return Result.succeed([{ ...command, _tag: "DispatchStarted", attempt: state.attempt + 1 }])
}

/** Whether `attempt` is the run under way, so that what it reports counts. */
const isCurrentRun = (
  state: Request,
  attempt: number
): state is Request & {
  readonly phase: Extract<Request["phase"], { readonly _tag: "Dispatched" | "Running" }>
} => attempt === state.attempt && (state.phase._tag === "Dispatched" || state.phase._tag === "Running")

const endOfRun = (command: RecordOutcome, state: Request): ReadonlyArray<Event> => {
  const { at, attempt, outcome } = command
  if (state.cancelRequested && outcome._tag !== "Succeeded" && outcome._tag !== "ModelFailed") {
    return [{ _tag: "RequestCancelled", at, reason: "requested" }]
  }
  switch (outcome._tag) {
    case "Succeeded": {
      const { ref, violations } = outcome.output
      const received: Event = {
        _tag: "OutputReceived",
        at,
        attempt,
        delivered: outcome.delivered,
        payloads: { output: ref }
      }
      const isEmpty = outcome.delivered === 0n && isShort(state, outcome.delivered)
      const isValid = violations.length === 0
      const completed: Event = {
        _tag: "RequestCompleted",
        at,
        attempt,
        billing: isValid && !isEmpty ? settle(state, outcome.delivered) : notBilled,
        error: isValid && isEmpty ? "The provider delivered nothing." : null
      }
      return isValid
        ? [...started(command, state), received, completed]
        : [
            ...started(command, state),
            received,
            { _tag: "OutputRejected", at, attempt, violations },
            completed
          ]
    }
    case "ModelFailed":
      return [
        ...started(command, state),
        { _tag: "RequestCompleted", at, attempt, billing: notBilled, error: outcome.message }
      ]
    case "ProviderError":
      return outcome.retryable
        ? retry(command, state, "transport_error", outcome.message)
        : [{ _tag: "RequestFailed", at, attempt, reason: "refused", message: outcome.message }]
    case "Lost":
      return retry(command, state, "lost", outcome.message)
    case "RateLimited":
      return [{ ...requeued(command, at + outcome.retryAfterMs), reason: "rate_limited", message: null }]
    case "Stopped":
      return retry(command, state, "lost", "The provider stopped the run.")
  }
}

/** The start of the run, unless it is on the log already: a fast run appends start and end together. */
const started = (command: RecordOutcome, state: Request): ReadonlyArray<Event> =>
  state.phase._tag === "Dispatched" && command.startedAt !== null
    ? [{ _tag: "RequestStarted", at: command.startedAt, attempt: command.attempt }]
    : []

const retry = (
  command: RecordOutcome,
  state: Request,
  reason: "transport_error" | "lost",
  message: string
): ReadonlyArray<Event> => {
  const { at, attempt } = command
  const delay =
    reason === "lost"
      ? RetrySchedule.delay(RetrySchedule.lostRuns, state.retries.lost + 1)
      : RetrySchedule.delay(state.submitted.retry, state.retries.transport + 1)
  return delay === null
    ? [{ _tag: "RequestFailed", at, attempt, reason, message }]
    : [{ ...requeued(command, at + delay), reason, message }]
}

const requeued = (command: { readonly at: number; readonly attempt: number }, dueAt: number) =>
  ({ _tag: "RequestRequeued", at: command.at, attempt: command.attempt, dueAt }) as const

const lateOutcome = (command: RecordOutcome, state: Request): ReadonlyArray<Event> =>
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

const cancel = (
  command: Extract<Command, { readonly _tag: "Cancel" }>,
  state: Request
): ReadonlyArray<Event> => {
  switch (state.phase._tag) {
    case "Queued":
      return [
        { _tag: "CancelRequested", at: command.at },
        { _tag: "RequestCancelled", at: command.at, reason: "requested" }
      ]
    case "Dispatched":
    case "Running":
      return state.cancelRequested ? [] : [{ _tag: "CancelRequested", at: command.at }]
    case "Completed":
    case "Failed":
    case "Cancelled":
      return []
  }
}

const notBilled = { status: "failed", amount: zero, units: units(0) } as const

/** Whether fewer units were delivered than asked for (decisions, "partial"). */
const isShort = ({ submitted: { quote } }: Request, delivered: Quantity): boolean =>
  quote.quantity !== null && delivered < quote.quantity

const settle = (state: Request, delivered: Quantity) => ({
  status: isShort(state, delivered) ? ("partial" as const) : ("charged" as const),
  amount: Pricing.charge(state.submitted.quote, delivered),
  units: delivered
})

const decider: Decider<State, Command, Event, Rejection> = { initial, decide, evolve }

export const aggregate: Aggregate<State, Command, Event, Rejection> = {
  category: "InferenceRequest",
  codec,
  decider
}
