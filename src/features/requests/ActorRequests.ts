/** `Requests` over the actors of this node, and over its history where the log cannot be read. */
import { Effect, Layer } from "effect"
import { History } from "#projections/history/History.ts"
import * as Reading from "./Reading.ts"
import { Requests, RequestNotFound, type Snapshot as RequestSnapshot } from "./Requests.ts"
import * as Submitting from "./Submitting.ts"
import { isTerminal, type Terminal } from "#domain/inference-request/State.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"
import { RequestActors } from "./RequestActors.ts"
import * as Snapshot from "./Snapshot.ts"

/** How long a cancel waits for the provider to stop before it answers, ms. */
const patienceMs = 2_000

const ended: Record<Terminal["_tag"], string> = {
  Completed: "The request had completed.",
  Failed: "The request had failed.",
  Cancelled: "The request had been cancelled."
}

const cut = "The run was stopped. What it had delivered is kept and billed."

const outcome = ({ request }: RequestSnapshot) => {
  switch (request.phase._tag) {
    case "Cancelled":
      return { accepted: true, reason: "The request is cancelled and not billed." }
    case "Completed":
      if (request.isCut === true) return { accepted: true, reason: cut }
      return { accepted: false, reason: "The run finished before the provider could stop it." }
    case "Failed":
      return { accepted: false, reason: "The run failed before the provider could stop it." }
    case "Finalizing":
      if (request.isCut === true) return { accepted: true, reason: cut }
      return { accepted: false, reason: "The run has finished; the files of its output are being stored." }
    case "Queued":
    case "Dispatched":
    case "Running":
      return { accepted: true, reason: "The provider has been asked to stop the run." }
  }
}

const makeCancelling = (reading: Pick<Requests["Service"], "get" | "waitUntil">) =>
  Effect.gen(function* () {
    const actors = yield* RequestActors
    const steady = yield* SteadyTime

    const cancel: Requests["Service"]["cancel"] = Effect.fn("Requests.cancel")(function* (options) {
      const before = yield* reading.get(options)
      const { phase } = before.request
      if (isTerminal(phase)) return { ...before, cancel: { accepted: false, reason: ended[phase._tag] } }
      const at = yield* steady.now
      const cancelled = yield* actors.execute(options.id, { _tag: "Cancel", at }).pipe(
        Effect.catchTag("RequestNotFound", () => new RequestNotFound()),
        Effect.catchTag(["NotDispatchable", "RequestNotEnded"], Effect.die)
      )
      const after = yield* reading.waitUntil(
        Snapshot.of(options.id, cancelled) ?? before,
        ({ request }) => isTerminal(request.phase),
        patienceMs
      )
      return { ...after, cancel: outcome(after) }
    })

    return cancel
  })

export const layer = Layer.effect(
  Requests,
  Effect.gen(function* () {
    const reading = yield* Reading.make
    const submitting = yield* Submitting.make
    const cancel = yield* makeCancelling(reading)
    return Requests.of({ ...reading, ...submitting, cancel })
  })
).pipe(Layer.provide(History.layer))
