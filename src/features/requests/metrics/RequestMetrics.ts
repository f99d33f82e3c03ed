/** Counts the events of requests, and logs those that an operator should look into. */
import { Context, Effect, Layer, Metric } from "effect"
import type { Event } from "#domain/inference-request/Event.ts"
import * as Settled from "#src/kernel/async/Settled.ts"
import type { State } from "#domain/inference-request/State.ts"
import { Catalog } from "#src/features/catalog/models/Catalog.ts"
import type { Executed } from "#streams/Actors.ts"
import { RequestActors } from "../RequestActors.ts"
import { LogRateLimit } from "#src/platform/telemetry/logs/LogRateLimit.ts"
import * as Families from "./Families.ts"
import * as ModelSeries from "#src/features/catalog/ModelSeries.ts"
import * as ObservedActors from "./ObservedActors.ts"
import { RequestTally } from "./RequestTally.ts"

/** The label of a model that has left the catalog: labels are models of the catalog only. */
const otherModel = "other"

/** The series that counts the event for a model; `undefined` for events that are not counted. */
const seriesOf = (event: Event) => {
  switch (event._tag) {
    case "RequestSubmitted":
      return (model: string) => Families.requestsSubmitted.of(model)
    case "RequestCompleted":
      return (model: string) => Families.requestsEnded.of(model, "completed", event.billing.status)
    case "RequestFailed":
    case "RequestForceFailed":
      return (model: string) => Families.requestsEnded.of(model, "failed", "none")
    case "RequestCancelled":
      return (model: string) => Families.requestsEnded.of(model, "cancelled", "none")
    case "RequestRequeued":
    case "SweepRetried":
      return (model: string) => Families.requestsRequeued.of(model, event.reason)
    case "DispatchStarted":
    case "ProviderAccepted":
    case "RunTakenOver":
    case "RequestStarted":
    case "ProgressReported":
    case "OutputReceived":
    case "OutputRejected":
    case "CancelRequested":
    case "LateOutcomeIgnored":
    case "MediaStored":
    case "PayloadsErased":
    case "ErasedFilesRemoved":
      return undefined
  }
}

/** The warning for an event; `undefined` for most events. */
const warningOf = (event: Event) => {
  if (event._tag === "RequestFailed") {
    return { message: "A request failed", attempt: event.attempt, reason: event.reason }
  }
  if (event._tag === "RequestRequeued" && event.reason === "lost") {
    return {
      message: "A run was lost; its request waits again",
      attempt: event.attempt,
      reason: event.reason
    }
  }
  if (event._tag === "RequestForceFailed") {
    const { attempt, retries } = event
    return { message: "A stuck request was failed after all retries", attempt, retries }
  }
  if (event._tag === "SweepRetried") {
    const { attempt, reason, retry } = event
    return {
      message: "The sweep found a stuck request and retries it",
      attempt,
      reason,
      retry
    }
  }
  return undefined
}

const make = Effect.gen(function* () {
  const actors = yield* RequestActors
  const allowance = yield* LogRateLimit
  const tally = yield* RequestTally
  const context = Context.make(Metric.MetricRegistry, yield* Metric.MetricRegistry)
  const { find } = yield* Catalog
  const shown = yield* ModelSeries.make
  const labelOf = (model: string): string => {
    const found = find(model)
    return Settled.hasSucceeded(found) && found.value === null ? otherModel : model
  }

  const count = (model: string, event: Event): void => {
    const series = seriesOf(event)
    if (series === undefined) return
    const label = labelOf(model)
    if (label !== otherModel) shown.add(label)
    series(label).updateUnsafe(1, context)
  }

  const warn = (id: string, model: string, event: Event): Effect.Effect<void> => {
    const warning = warningOf(event)
    if (warning === undefined || !allowance.admits("request")) return Effect.void
    const { message, ...annotations } = warning
    return Effect.annotateLogs(Effect.logWarning(message), { request_id: id, model, ...annotations })
  }

  const observe = (id: string, { events, state }: Executed<State, Event>): Effect.Effect<void> => {
    const last = events.at(-1)
    if (last === undefined || state._tag === "NotSubmitted") return Effect.void
    const { at, model } = state.submitted
    for (const event of events) {
      count(model, event)
      tally.note(event, at)
    }
    // The event that ends a run or a request is the last one.
    return warn(id, model, last)
  }

  return ObservedActors.make(actors, observe, Effect.runForkWith(yield* Effect.context<never>()))
})

/** The actors of the layer below, with metrics. */
export const layer = Layer.effect(RequestActors, make)
