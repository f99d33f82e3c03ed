/** Deadlines for the start and for the end (decisions, "Deadlines"). */
import { describe, it } from "@effect/vitest"
import type { Deadlines, Event } from "#domain/inference-request/Event.ts"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import { billingStatus, cost, outcome, status } from "#domain/inference-request/Status.ts"
import { zero } from "#domain/Money.ts"
import { given } from "#test/support/Scenario.ts"
import * as Phases from "#test/support/domain/inference-request/Phases.ts"
import * as Story from "#test/support/domain/inference-request/Story.ts"

const { aggregate } = InferenceRequest

const deadline = 20_000
const expire = (at = deadline) => ({ _tag: "Expire", at }) as const
const expired = (at = deadline): Event => ({ ...Story.cancelled("expired"), at })

const told = Story.ofRequest((request) => ({
  status: status(request),
  outcome: outcome(request),
  billing: billingStatus(request),
  cost: cost(request)
}))
const expiredView = { status: "CANCELLED", outcome: "expired", billing: "failed", cost: zero } as const

/** The same events after a submit with `deadlines`. */
const withDeadlines = (deadlines: Deadlines, [, ...events]: ReadonlyArray<Event>): ReadonlyArray<Event> => [
  Story.submittedWith(deadlines),
  ...events
]

const openPhases = Object.entries(Phases.open)
const notStarted = ["queued", "dispatched", "accepted", "taken over", "dispatched, to be cancelled"]

describe("The deadline for the end", () => {
  it.each(openPhases)("ends a request, unbilled: %s", (_name, events) => {
    given(aggregate, withDeadlines({ endBy: deadline }, events))
      .when(expire())
      .expectEvents(expired())
      .expectView(told, expiredView)
      .when(expire(deadline + 1))
      .expectNothing()
  })

  it.each(openPhases)("has not passed a millisecond before: %s", (_name, events) => {
    given(aggregate, withDeadlines({ endBy: deadline }, events))
      .when(expire(deadline - 1))
      .expectNothing()
  })

  it("counts without a deadline for the start, and the other way round", () => {
    given(aggregate, withDeadlines({ startBy: deadline, endBy: 2 * deadline }, Phases.open.running))
      .when(expire(2 * deadline - 1))
      .expectNothing()
      .when(expire(2 * deadline))
      .expectEvents(expired(2 * deadline))
    given(aggregate, withDeadlines({ startBy: 2 * deadline, endBy: deadline }, Phases.open.queued))
      .when(expire())
      .expectEvents(expired())
  })
})

describe("The deadline for the start", () => {
  it.each(openPhases)("ends a request that has not started: %s", (name, events) => {
    const then = given(aggregate, withDeadlines({ startBy: deadline }, events)).when(expire())
    if (notStarted.includes(name)) then.expectEvents(expired()).expectView(told, expiredView)
    else then.expectNothing()
  })

  it("has not passed a millisecond before", () => {
    given(aggregate, withDeadlines({ startBy: deadline }, Phases.open.queued))
      .when(expire(deadline - 1))
      .expectNothing()
      .when(Story.dispatch(deadline - 1))
      .expectTypes("DispatchStarted")
  })

  it("is met by a finished run, even if its start was never reported", () => {
    given(aggregate, withDeadlines({ startBy: deadline }, Phases.open.dispatched))
      .when(Story.end(Story.outcomes.succeededWithMedia))
      .when(expire())
      .expectNothing()
  })
})

describe("A deadline", () => {
  it("ends no request without one", () => {
    for (const events of Object.values(Phases.open)) {
      given(aggregate, events).when(expire(Number.MAX_SAFE_INTEGER)).expectNothing()
      given(aggregate, withDeadlines({}, events)).when(expire(Number.MAX_SAFE_INTEGER)).expectNothing()
    }
  })

  it("ends no request that has ended", () => {
    for (const events of Object.values(Phases.terminal)) {
      given(aggregate, withDeadlines({ startBy: 1_000, endBy: 1_000 }, events))
        .when(expire())
        .expectNothing()
    }
  })

  it("is checked before a claim, which then ends the request", () => {
    for (const deadlines of [{ startBy: deadline }, { endBy: deadline }]) {
      given(aggregate, withDeadlines(deadlines, Phases.open.queued))
        .when(Story.dispatch(deadline))
        .expectEvents(expired())
        .expectView(told, expiredView)
        .when(Story.dispatch(deadline))
        .expectRejection("NotDispatchable")
    }
  })

  it("for the start does not count for the next run of a started request", () => {
    given(aggregate, withDeadlines({ startBy: deadline }, Phases.open["queued again"]))
      .when(Story.dispatch(deadline))
      .expectEvents(Story.dispatched(2, deadline))
  })

  it("makes later answers of the provider ineffective, recorded once", () => {
    for (const name of ["succeeded", "invalid", "modelFailed", "lost", "stopped"] as const) {
      const late = Story.end(Story.outcomes[name], { at: deadline + 5_000 })
      given(aggregate, withDeadlines({ endBy: deadline }, Phases.open.running))
        .when(expire())
        .when(late)
        .expectEvents({
          _tag: "LateOutcomeIgnored",
          at: deadline + 5_000,
          attempt: 1,
          outcome: Story.outcomes[name]._tag
        })
        .expectView(told, expiredView)
        .when(late)
        .expectNothing()
    }
  })

  it("applies to an answer that arrives before the deadline is checked", () => {
    for (const name of ["succeeded", "modelFailed", "transportError"] as const) {
      given(aggregate, withDeadlines({ endBy: deadline }, Phases.open.running))
        .when(Story.end(Story.outcomes[name], { at: deadline }))
        .expectEvents(
          { _tag: "RequestCancelled", at: deadline, reason: "expired" },
          { _tag: "LateOutcomeIgnored", at: deadline, attempt: 1, outcome: Story.outcomes[name]._tag }
        )
        .expectView(told, expiredView)
    }
    for (const end of [Story.recordMedia(deadline), Story.refuseMedia(deadline)]) {
      given(aggregate, withDeadlines({ endBy: deadline }, Phases.open.finalizing))
        .when(end)
        .expectEvents({ _tag: "RequestCancelled", at: deadline, reason: "expired" })
        .expectView(told, expiredView)
    }
  })

  it("that passes while files are stored makes the stored files ineffective", () => {
    given(aggregate, withDeadlines({ endBy: deadline }, Phases.open.finalizing))
      .when(expire())
      .when(Story.recordMedia(deadline + 1))
      .expectNothing()
      .when(Story.refuseMedia(deadline + 1))
      .expectNothing()
      .expectView(told, expiredView)
  })

  it("does not treat a recorded answer as late when it is repeated", () => {
    given(aggregate, withDeadlines({ endBy: deadline }, Phases.open.finalizing))
      .when(expire())
      .when(Story.end(Story.outcomes.succeededWithMedia))
      .expectNothing()
  })
})
