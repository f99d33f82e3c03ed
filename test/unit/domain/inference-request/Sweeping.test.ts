/** Retries of the sweep and the forced end (contract, "States and transitions"; decisions, "Overdue"). */
import { assert, describe, it } from "@effect/vitest"
import type { Event } from "#domain/inference-request/Event.ts"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import { billingStatus, cost, failure, outcome, status } from "#domain/inference-request/Status.ts"
import * as SweepSchedule from "#domain/inference-request/SweepSchedule.ts"
import { zero } from "#domain/Money.ts"
import { given } from "#test/support/Scenario.ts"
import * as Phases from "#test/support/domain/inference-request/Phases.ts"
import * as Story from "#test/support/domain/inference-request/Story.ts"

const { aggregate } = InferenceRequest

const minute = 60_000
const hour = 60 * minute
const sixHoursOld = Story.request.at + 6 * hour

const retries = Story.ofRequest(({ sweepRetries }) => sweepRetries)
const phase = Story.ofRequest(({ phase }) => phase)
const openPhases = Object.entries(Phases.open)

/** The same events with `count` retries of the sweep. */
const swept = (count: number, [submitted = Story.submitted, ...events]: ReadonlyArray<Event>) => [
  submitted,
  ...Array.from({ length: count }, (_, index) => Story.swept(index + 1, 1_500, 1_500)),
  ...events
]

describe("A retry of the sweep", () => {
  it("is due after a minute, doubling up to an hour", () => {
    assert.deepStrictEqual(
      [1, 2, 3, 4, 5, 6, 7, 8, 100].map((retry) => SweepSchedule.delay(retry) / minute),
      [1, 2, 4, 8, 16, 32, 60, 60, 60]
    )
  })

  it("repeats a lost run", () => {
    for (const phase of ["dispatched", "accepted", "running"] as const) {
      given(aggregate, Phases.open[phase])
        .when(Story.sweepRetry(10_000))
        .expectEvents(Story.swept(1, 10_000, 70_000))
        .when(Story.dispatch(69_999))
        .expectRejection("NotDispatchable")
        .when(Story.dispatch(70_000))
        .expectEvents(Story.dispatched(2, 70_000))
    }
  })

  it("counts neither as a transport error nor as a lost run", () => {
    given(aggregate, Phases.open.running)
      .when(Story.sweepRetry(10_000))
      .expectView(retries, 1)
      .expectView(
        Story.ofRequest(({ retries }) => retries),
        { transport: 0, lost: 0 }
      )
      .expectView(Story.ofRequest(status), "IN_PROGRESS")
  })

  it("stores the files of an output again without another run", () => {
    given(aggregate, Phases.open.finalizing)
      .when(Story.sweepRetry(10_000, "media_missing"))
      .expectEvents(Story.swept(1, 10_000, 70_000, "media_missing"))
      .when(Story.dispatch(hour))
      .expectRejection("NotDispatchable")
      .when(Story.recordMedia(6_000))
      .expectEvents(Story.mediaStored, { ...Story.completed, at: 6_000 })
  })

  it("counts files as missing only after they were due, so that a repeated retry counts once", () => {
    given(aggregate, Phases.open.finalizing)
      .when(Story.sweepRetry(10_000, "media_missing"))
      .when(Story.sweepRetry(10_000, "media_missing"))
      .expectNothing()
      .when(Story.sweepRetry(69_999, "media_missing"))
      .expectNothing()
      .when(Story.sweepRetry(70_000, "media_missing"))
      .expectEvents(Story.swept(2, 70_000, 190_000, "media_missing"))
  })

  it("retries an unreachable host for some minutes, whatever our own storage did before, then fails the request unbilled", () => {
    given(aggregate, Phases.open.finalizing)
      .when(Story.sweepRetry(10_000, "media_missing"))
      .when(Story.postponeMedia(70_000))
      .expectEvents({ ...Story.swept(2, 70_000, 130_000, "media_missing"), host: "unreachable" })
      // Counted once although it is found twice.
      .when(Story.postponeMedia(129_999))
      .expectNothing()
      .when(Story.postponeMedia(130_000))
      .expectEvents({ ...Story.swept(3, 130_000, 250_000, "media_missing"), host: "unreachable" })
      .when(Story.postponeMedia(250_000))
      .expectEvents({ ...Story.swept(4, 250_000, 490_000, "media_missing"), host: "unreachable" })
      .when(Story.postponeMedia(490_000))
      .expectEvents({
        _tag: "RequestFailed",
        at: 490_000,
        attempt: 1,
        reason: "media_missing",
        message: "The file is not there."
      })
      .expectView(Story.ofRequest(status), "FAILED")
      .expectView(Story.ofRequest(cost), zero)
  })

  it("accumulates over runs and files", () => {
    given(aggregate, [
      ...Phases.open.running,
      Story.swept(1, 5_000, 65_000),
      Story.dispatched(2, 65_000),
      { ...Story.receivedWithMedia, at: 66_000, attempt: 2 }
    ])
      .when(Story.sweepRetry(70_000, "media_missing", 2))
      .expectEvents({ ...Story.swept(2, 70_000, 190_000, "media_missing"), attempt: 2 })
  })

  it("ends a cancelled request instead of running it again", () => {
    for (const phase of ["dispatched, to be cancelled", "running, to be cancelled"] as const) {
      given(aggregate, Phases.open[phase])
        .when(Story.sweepRetry(5_000))
        .expectEvents(Story.cancelled())
        .expectView(Story.ofRequest(outcome), "cancelled")
    }
  })

  it("stores the files of a run that was faster than a cancel", () => {
    given(aggregate, Phases.open["finalizing, to be cancelled"])
      .when(Story.sweepRetry(5_000, "media_missing"))
      .expectTypes("SweepRetried")
  })

  it("has no effect for another run than the newest", () => {
    const secondRun = [...Phases.open["queued again"], Story.dispatched(2)]
    given(aggregate, secondRun)
      .when(Story.sweepRetry(10_000, "lost", 1))
      .expectNothing()
    given(aggregate, secondRun)
      .when(Story.sweepRetry(10_000, "lost", 3))
      .expectNothing()
    given(aggregate, Phases.open.finalizing)
      .when(Story.sweepRetry(10_000, "media_missing", 2))
      .expectNothing()
  })

  it("has no effect if its finding is no longer true", () => {
    const still = { lost: /^(accepted|taken over|dispatched|running)/, media_missing: /^finalizing/ }
    for (const reason of ["lost", "media_missing"] as const) {
      for (const [name, events] of Object.entries({ ...Phases.open, ...Phases.terminal })) {
        if (still[reason].test(name)) continue
        given(aggregate, events).when(Story.sweepRetry(hour, reason)).expectNothing()
      }
    }
  })

  it("makes the answer of the abandoned run ineffective", () => {
    given(aggregate, Phases.open.running)
      .when(Story.sweepRetry(10_000))
      .when(Story.end(Story.outcomes.succeeded, { at: 11_000 }))
      .expectNothing()
      .when(Story.dispatch(70_000))
      .when(Story.end(Story.outcomes.succeeded, { at: 71_000 }))
      .expectNothing()
  })
})

describe("The forced end", () => {
  const forceFail = (at: number) => ({ _tag: "ForceFail", at }) as const

  it.each(openPhases)("comes after five retries and more than six hours: %s", (name, events) => {
    const attempt = name === "queued" ? 0 : 1
    given(aggregate, swept(5, events))
      .when(forceFail(sixHoursOld + 1))
      .expectEvents(Story.forceFailed(sixHoursOld + 1, 5, attempt))
      .expectView(
        Story.ofRequest((request) => [
          status(request),
          outcome(request),
          billingStatus(request),
          cost(request),
          failure(request)
        ]),
        ["FAILED", "failed", "failed", zero, "The request could not be brought to an end."]
      )
      .when(forceFail(sixHoursOld + hour))
      .expectNothing()
  })

  it.each<[number, number, boolean]>([
    [4, 1, false],
    [5, -1, false],
    [5, 0, false],
    [5, 1, true],
    [6, 1, true],
    [4, 1_000 * hour, false],
    [0, 1_000 * hour, false]
  ])("after %i retries, and six hours and %i ms: %s", (count, past, isForced) => {
    const then = given(aggregate, swept(count, Phases.open.running)).when(forceFail(sixHoursOld + past))
    if (isForced) then.expectTypes("RequestForceFailed")
    else then.expectNothing()
  })

  it("never follows another end", () => {
    for (const events of Object.values(Phases.terminal)) {
      const { state } = given(aggregate, swept(5, events))
      given(aggregate, swept(5, events))
        .when(forceFail(1_000 * hour))
        .expectNothing()
        .expectView(phase, phase(state))
    }
  })

  it("is final: a late answer of its run is recorded once, and stored files settle nothing", () => {
    const late = Story.end(Story.outcomes.succeeded, { at: sixHoursOld + hour })
    given(aggregate, Phases.terminal["given up while running"])
      .when(late)
      .expectEvents({ _tag: "LateOutcomeIgnored", at: late.at, attempt: 1, outcome: "Succeeded" })
      .when(late)
      .expectNothing()
    given(aggregate, Phases.terminal["given up while finalizing"])
      .when(Story.recordMedia(6_000))
      .expectNothing()
      .when(Story.refuseMedia(6_000))
      .expectNothing()
      .when(Story.end(Story.outcomes.succeededWithMedia))
      .expectNothing()
      .expectView(Story.ofRequest(status), "FAILED")
  })
})
