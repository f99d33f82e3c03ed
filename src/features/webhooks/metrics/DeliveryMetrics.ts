/** Counts results of webhooks, and logs those that are given up. */
import { Context, Effect, Layer, Metric } from "effect"
import type { AttemptError, Event } from "#domain/webhook-delivery/Event.ts"
import type { Delivery, State } from "#domain/webhook-delivery/State.ts"
import type { Executed } from "#streams/Actors.ts"
import { DeliveryActors } from "../DeliveryActors.ts"
import { LogRateLimit } from "#src/platform/telemetry/logs/LogRateLimit.ts"
import * as Families from "./Families.ts"
import * as ObservedActors from "#src/features/requests/metrics/ObservedActors.ts"

/** One label for a class of statuses. */
const wordOf = (error: AttemptError): string => error.replace(/^http_(\d).*$/, "http_$1xx")

/** The series for the event; `undefined` for events that are not counted. */
const seriesOf = (event: Event) => {
  switch (event._tag) {
    case "AttemptSucceeded":
      return Families.webhookAttempts.of("delivered")
    case "AttemptFailed":
      return Families.webhookAttempts.of(wordOf(event.error))
    case "AttemptLost":
      return Families.webhookAttempts.of("lost")
    case "DeliveryFailed":
      return Families.webhooksFailed.of(event.reason)
    case "DeliveryScheduled":
    case "AttemptStarted":
    case "ReplayRequested":
    case "PayloadsErased":
      return undefined
  }
}

const make = Effect.gen(function* () {
  const actors = yield* DeliveryActors
  const allowance = yield* LogRateLimit
  const context = Context.make(Metric.MetricRegistry, yield* Metric.MetricRegistry)

  const count = (events: ReadonlyArray<Event>): void => {
    for (const event of events) seriesOf(event)?.updateUnsafe(1, context)
  }

  /** Without the URL, which may contain a secret, and the receiver's answer. */
  const warn = (
    id: string,
    { attempts, lastError, scheduled }: Delivery,
    event: Event
  ): Effect.Effect<void> => {
    if (event._tag !== "DeliveryFailed" || event.reason === "erased" || !allowance.admits("webhook")) {
      return Effect.void
    }
    return Effect.logWarning("A webhook is given up").pipe(
      Effect.annotateLogs({
        delivery_id: id,
        request_id: scheduled.requestId,
        reason: event.reason,
        attempts,
        error: lastError
      })
    )
  }

  const observe = (id: string, { events, state }: Executed<State, Event>): Effect.Effect<void> => {
    const last = events.at(-1)
    if (last === undefined || state._tag === "NotScheduled") return Effect.void
    count(events)
    return warn(id, state, last)
  }

  return ObservedActors.make(actors, observe, Effect.runForkWith(yield* Effect.context<never>()))
})

/** The actors of the layer below, observed. */
export const layer = Layer.effect(DeliveryActors, make)
