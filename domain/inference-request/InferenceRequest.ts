/**
 * One inference request, from acceptance to its end (contract, "States and transitions"). A terminal state is never left, a
 * repeated command leads to no event, and the only charge is part of the event that completes the request.
 */
import { Result } from "effect"
import type { Aggregate } from "../Aggregate.ts"
import type { Command, Rejection } from "./Command.ts"
import * as Deadlines from "./Deadlines.ts"
import * as Erasing from "./Erasing.ts"
import { codec, type Event } from "./Event.ts"
import * as RunEnd from "./RunEnd.ts"
import { evolve, initial, type Request, type State } from "./State.ts"
import * as Sweep from "./Sweep.ts"

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
        ? Result.succeed(RunEnd.endOfRun(command, state))
        : Result.succeed(RunEnd.lateOutcome(command, state))
    case "TakeOver":
      return Result.succeed(takeOver(command, state))
    case "Release":
      return isCurrentRun(state, command.attempt)
        ? Result.succeed([
            state.cancelRequested
              ? { _tag: "RequestCancelled", at: command.at, reason: "requested" }
              : { ...RunEnd.requeued(command, command.at), reason: "shutdown", message: null }
          ])
        : nothing
    case "Cancel":
      return Result.succeed(cancel(command, state))
    case "RecordMedia":
      return Result.succeed(RunEnd.mediaStored(command, state))
    case "RefuseMedia":
      return Result.succeed(RunEnd.mediaRefused(command, state))
    case "Expire":
      return Result.succeed(Deadlines.expire(command.at, state))
    case "GiveUpWaiting":
      return Result.succeed(Deadlines.giveUpWaiting(command, state))
    case "SweepRetry":
      return Result.succeed(Sweep.sweepRetry(command, state))
    case "PostponeMedia":
      return Result.succeed(Sweep.postponeMedia(command, state))
    case "ForceFail":
      return Result.succeed(Sweep.forceFail(command.at, state))
    case "Erase":
      return Erasing.erase(command, state)
    case "RecordRemoved":
      return state.erasure?.hasFiles === true
        ? Result.succeed([{ _tag: "ErasedFilesRemoved", at: command.at }])
        : nothing
  }
}

const dispatch = (
  command: Extract<Command, { readonly _tag: "Dispatch" }>,
  state: Request
): Result.Result<ReadonlyArray<Event>, Rejection> => {
  if (state.phase._tag !== "Queued" || state.phase.dueAt > command.at) {
    return Result.fail({ _tag: "NotDispatchable" })
  }
  const expired = Deadlines.expire(command.at, state)
  if (expired.length > 0) return Result.succeed(expired)
  return Result.succeed([{ ...command, _tag: "DispatchStarted", attempt: state.attempt + 1 }])
}

/** Whether `attempt` is the current run. Reports of other runs do not count. */
const isCurrentRun = (
  state: Request,
  attempt: number
): state is Request & {
  readonly phase: Extract<Request["phase"], { readonly _tag: "Dispatched" | "Running" }>
} => attempt === state.attempt && (state.phase._tag === "Dispatched" || state.phase._tag === "Running")

/** Only one of several nodes takes the run over. For the others, its node is no longer `from`. */
const takeOver = (
  { at, attempt, from, node }: Extract<Command, { readonly _tag: "TakeOver" }>,
  state: Request
): ReadonlyArray<Event> => {
  if (!isCurrentRun(state, attempt)) return []
  const { run } = state.phase
  return run.jobId !== null && run.node === from && from !== node
    ? [{ _tag: "RunTakenOver", at, attempt, node }]
    : []
}

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
    // The run finished before the cancellation.
    case "Finalizing":
    case "Completed":
    case "Failed":
    case "Cancelled":
      return []
  }
}

export const aggregate: Aggregate<State, Command, Event, Rejection> = {
  category: "InferenceRequest",
  codec,
  decider: { initial, decide, evolve }
}
