/** Requests in every state that clients can see, moved there by commands. */
import { Effect, Struct } from "effect"
import type { RequestId } from "#domain/Ids.ts"
import * as Money from "#domain/Money.ts"
import * as Lifecycle from "#test/support/Lifecycle.ts"
import { accepted, call } from "./Calls.ts"

const started = Effect.fnUntraced(function* (model?: string, input?: unknown) {
  const id = yield* accepted(model, input)
  yield* Lifecycle.start(id, 40)
  return id
})

const ended = <E, R>(end: (id: RequestId) => Effect.Effect<unknown, E, R>) => Effect.tap(started(), end)

export const violations = [
  { instancePath: "/value", message: "must be string" },
  { instancePath: "", message: "must have required property 'size'" }
]

export const scenarios = {
  queued: accepted(),
  running: started(),
  succeeded: ended((id) => Lifecycle.deliver(id, { value: 1 })),
  erased: Effect.tap(
    ended((id) => Lifecycle.deliver(id, { value: 3 })),
    (id) => call({ method: "DELETE", path: `/requests/${id}/payloads` })
  ),
  partial: Effect.tap(started("sandbox/partial", { count: 4, deliver: 3 }), (id) =>
    Lifecycle.deliver(id, { items: [{ index: 0 }] }, [], Money.units(3))
  ),
  invalidOutput: ended((id) => Lifecycle.deliver(id, { value: 2 }, violations)),
  providerFailed: ended((id) => Lifecycle.end(id, { _tag: "ModelFailed", message: "The picture is empty." })),
  failed: ended((id) =>
    Lifecycle.end(id, { _tag: "ProviderError", message: "The provider refused the run.", retryable: false })
  ),
  cancelled: Effect.tap(accepted(), (id) => call({ path: `/sandbox/echo/requests/${id}/cancel` }))
}

export type Scenario = keyof typeof scenarios

export const names: ReadonlyArray<Scenario> = Struct.keys(scenarios)

export const modelOf = (scenario: Scenario): string =>
  scenario === "partial" ? "sandbox/partial" : "sandbox/echo"
