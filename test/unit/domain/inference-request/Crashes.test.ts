/** Requests that run when their node crashes: a request that crashes nodes must not run for ever. */
import { describe, it } from "@effect/vitest"
import * as Crashes from "#domain/inference-request/Crashes.ts"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import { billingStatus, status } from "#domain/inference-request/Status.ts"
import type { JudgedOutcome } from "#domain/Outcome.ts"
import { given } from "#test/support/Scenario.ts"
import * as Story from "#test/support/domain/inference-request/Story.ts"

const { aggregate } = InferenceRequest

const crashed: JudgedOutcome = { ...Story.outcomes.lost, crashed: true }

/** Runs the request repeatedly, with these ends. */
const ending = (...ends: ReadonlyArray<JudgedOutcome | "shutdown" | "swept">) => {
  let at = Story.request.at
  let then = given(aggregate).when(Story.submit)
  for (const [index, end] of ends.entries()) {
    const attempt = index + 1
    then = then.when(Story.dispatch(at)).expectTypes("DispatchStarted")
    if (end === "shutdown") then = then.when({ _tag: "Release", at, attempt })
    else if (end === "swept") then = then.when({ _tag: "SweepRetry", at, attempt, reason: "lost" })
    else then = then.when(Story.end(end, { at, attempt }))
    if (then.state._tag === "Request" && then.state.phase._tag === "Queued") at = then.state.phase.dueAt
  }
  return then
}

const expectCrashes = (then: ReturnType<typeof ending>, crashes: number) =>
  then.expectView(
    Story.ofRequest((request) => request.crashes),
    crashes
  )

describe("A request that runs when nodes crash", () => {
  it("runs again after the first and second crash, and fails at the third in a row, unbilled", () => {
    expectCrashes(ending(crashed), 1)
    expectCrashes(ending(crashed, crashed).expectTypes("RequestRequeued"), 2)
    ending(crashed, crashed, crashed)
      .expectEvents({
        _tag: "RequestFailed",
        at: Story.request.at + 250 + 500,
        attempt: 3,
        reason: "lost",
        message: Crashes.message
      })
      .expectView(Story.ofRequest(status), "FAILED")
      .expectView(Story.ofRequest(billingStatus), "failed")
  })

  it.each([
    ["a transport error", Story.outcomes.transportError],
    ["a pause of its provider", Story.outcomes.rateLimited],
    ["a run that its provider lost", Story.outcomes.lost],
    ["a shutdown", "shutdown"]
  ] as const)("is counted from 0 again after %s", (_, end) => {
    expectCrashes(ending(crashed, crashed, end), 0)
    expectCrashes(ending(crashed, crashed, end, crashed, crashed), 2)
  })

  it("keeps its count when the sweep finds the run gone", () => {
    expectCrashes(ending(crashed, crashed, "swept"), 2)
    ending(crashed, crashed, "swept", crashed).expectTypes("RequestFailed")
  })

  it("is cancelled, not failed, if a cancel was requested", () => {
    given(aggregate)
      .when(Story.submit)
      .when(Story.dispatch(Story.request.at))
      .when({ _tag: "Cancel", at: 2_000 })
      .when(Story.end(crashed))
      .expectTypes("RequestCancelled")
  })
})
