/**
 * One webhook delivery, from its schedule to its end (contract, "Success and retry rules"). Its id follows from request and
 * event, so it is created once. Each attempt is recorded before it is sent. A schedule has at most ten attempts.
 */
import { Result } from "effect"
import type { Aggregate } from "../Aggregate.ts"
import type { AttemptResult, Command, Rejection } from "./Command.ts"
import * as DeliverySchedule from "./DeliverySchedule.ts"
import { codec, type Event, type FailureReason } from "./Event.ts"
import { isDue } from "./NextAction.ts"
import { type Delivery, evolve, initial, type State } from "./State.ts"

/** The payload with the body. */
export const bodyName = "body"

/** The payload with the receiver's answer to an attempt. */
export const answerName = (attempt: number): string => `answer-${attempt}`

/** Answers kept of one delivery: enough for a hundred replays that all fail. */
const mostAnswers = 1_000

const nothing: Result.Result<ReadonlyArray<Event>, never> = Result.succeed([])

const decide = (command: Command, state: State): Result.Result<ReadonlyArray<Event>, Rejection> => {
  if (state._tag === "NotScheduled") {
    return command._tag === "Schedule"
      ? Result.succeed(schedule(command))
      : Result.fail({ _tag: "DeliveryNotFound" })
  }
  const { phase } = state
  switch (command._tag) {
    case "Schedule":
      return nothing
    case "StartAttempt":
      if (!isDue(state, command.at)) return Result.fail({ _tag: "AttemptNotDue" })
      return Result.succeed([
        { _tag: "AttemptStarted", at: command.at, attempt: state.attempts + 1, node: command.node }
      ])
    case "RecordAttempt":
      return isUnderWay(state, command.attempt) ? Result.succeed(record(command, state)) : nothing
    case "LoseAttempt":
      return isUnderWay(state, command.attempt) && state.phase.node === command.node
        ? Result.succeed(lose(command, state))
        : nothing
    case "Replay":
      if (state.isErased) return Result.fail({ _tag: "BodyErased" })
      if (phase._tag === "Delivering") return Result.fail({ _tag: "DeliveryInProgress" })
      // It is due already, with all its attempts left.
      return phase._tag === "Pending" && phase.nextAttemptAt <= command.at && state.used === 0
        ? nothing
        : Result.succeed([{ _tag: "ReplayRequested", at: command.at }])
    case "Recover":
      return phase._tag === "Failed" && !state.isErased && state.recoveryId !== command.recoveryId
        ? Result.succeed([{ _tag: "ReplayRequested", at: command.at, recoveryId: command.recoveryId }])
        : nothing
    case "Abandon":
      return Result.succeed(
        phase._tag === "Pending" ? [{ _tag: "DeliveryFailed", at: command.at, reason: "body_damaged" }] : []
      )
    case "Erase":
      return Result.succeed(erase(command.at, state))
  }
}

const schedule = ({ delivery, node }: Extract<Command, { readonly _tag: "Schedule" }>) => {
  const events: Array<Event> = [{ _tag: "DeliveryScheduled", ...delivery }]
  if (node !== null) events.push({ _tag: "AttemptStarted", at: delivery.at, attempt: 1, node })
  return events
}

const isUnderWay = (
  state: Delivery,
  attempt: number
): state is Delivery & { readonly phase: Extract<Delivery["phase"], { readonly _tag: "Delivering" }> } =>
  state.phase._tag === "Delivering" && state.phase.attempt === attempt

const record = (
  { answer, at, attempt, durationMs, result }: Extract<Command, { readonly _tag: "RecordAttempt" }>,
  state: Delivery
): ReadonlyArray<Event> => {
  const { responseStatus } = result
  // Nothing personal is stored after an erasure.
  const isKept = answer !== undefined && !state.isErased && state.answers.length < mostAnswers
  const kept = isKept ? { payloads: { [answerName(attempt)]: answer } } : {}
  if (result._tag === "Succeeded") {
    return [
      { _tag: "AttemptSucceeded", at, attempt, responseStatus: result.responseStatus, durationMs, ...kept }
    ]
  }
  const { error } = result
  const next = nextAttempt(state, at, result)
  const failed = { _tag: "AttemptFailed", at, attempt, responseStatus, error, durationMs, ...kept } as const
  return typeof next === "number"
    ? [{ ...failed, nextAttemptAt: next }]
    : [
        { ...failed, nextAttemptAt: null },
        { _tag: "DeliveryFailed", at, reason: next }
      ]
}

const lose = (
  { at, attempt }: Extract<Command, { readonly _tag: "LoseAttempt" }>,
  state: Delivery
): ReadonlyArray<Event> => {
  const next = nextAttempt(state, at, null)
  return typeof next === "number"
    ? [{ _tag: "AttemptLost", at, attempt, nextAttemptAt: next }]
    : [
        { _tag: "AttemptLost", at, attempt, nextAttemptAt: null },
        { _tag: "DeliveryFailed", at, reason: next }
      ]
}

/** When the next attempt is due, or why there is none. */
const nextAttempt = (
  { isErased, used }: Delivery,
  at: number,
  result: Extract<AttemptResult, { readonly _tag: "Failed" }> | null
): number | FailureReason => {
  // These receivers are not tried again (contract, "Success and retry rules", 4).
  if (result?.error === "gone" || result?.error === "private_address") return result.error
  if (isErased) return "erased"
  return DeliverySchedule.nextAttemptAt(used, at) ?? "exhausted"
}

const erase = (at: number, state: Delivery): ReadonlyArray<Event> => {
  if (state.isErased) return []
  const erased: Event = {
    _tag: "PayloadsErased",
    at,
    erased: [bodyName, ...state.answers.map(({ name }) => name)]
  }
  return state.phase._tag === "Pending"
    ? [erased, { _tag: "DeliveryFailed", at, reason: "erased" }]
    : [erased]
}

export const aggregate: Aggregate<State, Command, Event, Rejection> = {
  category: "WebhookDelivery",
  codec,
  decider: { initial, decide, evolve }
}
