/** Cancel (contract, "States and transitions"; decisions, "Cancel"). */
import { describe, it } from "@effect/vitest"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import { billingStatus, cost, outcome, status } from "#domain/inference-request/Status.ts"
import * as Money from "#domain/Money.ts"
import { given } from "#test/support/Scenario.ts"
import * as Phases from "#test/support/domain/inference-request/Phases.ts"
import * as Story from "#test/support/domain/inference-request/Story.ts"

const { aggregate } = InferenceRequest

const told = Story.ofRequest((request) => ({
  status: status(request),
  outcome: outcome(request),
  billing: billingStatus(request),
  cost: Money.format(cost(request))
}))

const cancel = { _tag: "Cancel", at: 5_000 } as const
const asked = { ...Story.cancelAsked, at: 5_000 }
const cancelled = { status: "CANCELLED", outcome: "cancelled", billing: "failed", cost: "0" } as const

describe("Cancelling a request", () => {
  it("ends it at once, unbilled, while it is queued", () => {
    given(aggregate, Phases.open.queued)
      .when(cancel)
      .expectEvents(asked, Story.cancelled())
      .expectView(told, cancelled)
  })

  it("ends it at once between two runs", () => {
    given(aggregate, Phases.open["queued again"])
      .when(cancel)
      .expectEvents(asked, Story.cancelled())
      .expectView(told, cancelled)
  })

  it("only requests a stop while a run is in progress", () => {
    for (const phase of ["dispatched", "accepted"] as const) {
      given(aggregate, Phases.open[phase])
        .when(cancel)
        .expectEvents(asked)
        .expectView(Story.ofRequest(status), "IN_QUEUE")
    }
    given(aggregate, Phases.open.running)
      .when(cancel)
      .expectEvents(asked)
      .expectView(Story.ofRequest(status), "IN_PROGRESS")
  })

  it("ends it, unbilled, when the provider confirms", () => {
    given(aggregate, Phases.open["running, to be cancelled"])
      .when(Story.end(Story.outcomes.stopped))
      .expectEvents(Story.cancelled())
      .expectView(told, cancelled)
  })

  it("loses to a run that finishes first: completed and billed", () => {
    given(aggregate, Phases.open["running, to be cancelled"])
      .when(Story.end(Story.outcomes.succeeded))
      .expectEvents(Story.received, Story.completed)
      .expectView(told, { status: "COMPLETED", outcome: "succeeded", billing: "charged", cost: "0.008" })
  })

  it("keeps and bills what a stopped run had delivered, however much was asked for", () => {
    for (const [units, charged] of [
      [1, "0.002"],
      [4, "0.008"]
    ] as const) {
      given(aggregate, Phases.open["running, to be cancelled"])
        .when(Story.end(Story.cut(units)))
        .expectView(told, { status: "COMPLETED", outcome: "partial", billing: "partial", cost: charged })
        .expectView(
          Story.ofRequest(({ isCut, output }) => [isCut, output?.ref]),
          [true, Story.output]
        )
    }
  })

  it("ends it, unbilled, when a stopped run had delivered nothing, or nothing valid", () => {
    for (const outcome of [Story.cut(0), Story.cut(1, Story.outcomes.invalid)]) {
      given(aggregate, Phases.open["running, to be cancelled"])
        .when(Story.end(outcome))
        .expectEvents(Story.cancelled())
        .expectView(told, cancelled)
    }
  })

  it("ends it, unbilled, when the files of a cut output cannot be stored", () => {
    given(aggregate, Phases.open["running, to be cancelled"])
      .when(Story.end(Story.cut(1, Story.outcomes.succeededWithMedia)))
      .expectView(told, { status: "IN_PROGRESS", outcome: "pending", billing: null, cost: "0" })
      .when(Story.refuseMedia(6_000))
      .expectView(told, cancelled)
  })

  it("is what cuts a run: one that stops without it runs again", () => {
    given(aggregate, Phases.open.running)
      .when(Story.end(Story.cut(1)))
      .expectView(told, { status: "IN_PROGRESS", outcome: "pending", billing: null, cost: "0" })
      .expectView(
        Story.ofRequest(({ phase }) => phase._tag),
        "Queued"
      )
  })

  it("loses to a run that fails first: completed, unbilled", () => {
    given(aggregate, Phases.open["running, to be cancelled"])
      .when(Story.end(Story.outcomes.modelFailed))
      .expectView(told, { status: "COMPLETED", outcome: "provider_failed", billing: "failed", cost: "0" })
  })

  it("ends it instead of another run, whatever prevented the run", () => {
    for (const name of ["refused", "transportError", "rateLimited", "lost"] as const) {
      given(aggregate, Phases.open["dispatched, to be cancelled"])
        .when(Story.end(Story.outcomes[name]))
        .expectEvents(Story.cancelled())
        .expectView(told, cancelled)
    }
  })

  it("ends it when the node that was to stop it shuts down", () => {
    given(aggregate, Phases.open["running, to be cancelled"])
      .when({ _tag: "Release", at: 5_000, attempt: 1 })
      .expectEvents(Story.cancelled())
  })

  it("changes nothing once it has ended", () => {
    for (const events of Object.values(Phases.terminal)) {
      given(aggregate, events).when(cancel).expectNothing()
    }
  })

  it("records a late answer of the provider, and bills nothing", () => {
    given(aggregate, Phases.terminal.expired)
      .when(Story.end(Story.outcomes.succeeded))
      .expectEvents({ _tag: "LateOutcomeIgnored", at: 5_000, attempt: 1, outcome: "Succeeded" })
      .expectView(told, { status: "CANCELLED", outcome: "expired", billing: "failed", cost: "0" })
  })
})
