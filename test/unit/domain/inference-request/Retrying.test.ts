/** Runs that end without ending the request (decisions, "Retry of transport errors", "Upstream 429"). */
import { assert, describe, it } from "@effect/vitest"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import * as Status from "#domain/inference-request/Status.ts"
import type { JudgedOutcome } from "#domain/Outcome.ts"
import { lostRuns, transportErrors } from "#domain/RetrySchedule.ts"
import type { UpstreamError } from "#domain/UpstreamError.ts"
import { given } from "#test/support/Scenario.ts"
import * as Phases from "#test/support/domain/inference-request/Phases.ts"
import * as Story from "#test/support/domain/inference-request/Story.ts"

const { aggregate } = InferenceRequest

/** Runs the request `times` times, each as soon as it is due, and collects the delays before the next run, ms. */
const runsEndingIn = (outcome: JudgedOutcome, times: number, retry = transportErrors) => {
  const delays: Array<number> = []
  let at = Story.request.at
  let then = given(aggregate).when({ _tag: "Submit", request: { ...Story.request, retry } })
  for (let attempt = 1; attempt <= times; attempt++) {
    then = then.when(Story.dispatch(at)).expectTypes("DispatchStarted")
    then = then.when(Story.end(outcome, { at, attempt }))
    if (then.state._tag !== "Request" || then.state.phase._tag !== "Queued") break
    delays.push(then.state.phase.dueAt - at)
    at = then.state.phase.dueAt
  }
  return { delays, story: then }
}

describe("An inference request", () => {
  it("runs again after transport errors, five times from 250 ms, doubling, and then fails", () => {
    const { delays, story } = runsEndingIn(Story.outcomes.transportError, 10)
    assert.deepStrictEqual(delays, [250, 500, 1_000, 2_000, 4_000])
    story.expectTypes("RequestFailed").expectView(Story.ofRequest(Status.status), "FAILED")
  })

  it("uses up no try and keeps its position while its provider is unreachable", () => {
    const { delays, story } = runsEndingIn(Story.outcomes.unreachable, 50)
    assert.deepStrictEqual(
      delays,
      Array.from({ length: 50 }, () => 0)
    )
    story.expectView(
      Story.ofRequest(({ retries }) => retries),
      { transport: 0, lost: 0 }
    )
  })

  it("expires after its model's waiting time", () => {
    const waiting = given(aggregate)
      .when(Story.submit)
      .when(Story.dispatch(2_000))
      .when(Story.end(Story.outcomes.unreachable, { at: 3_000 }))
    const at = Story.request.at + 60_000
    waiting.when({ _tag: "GiveUpWaiting", at: at - 1, maxWaitMs: 60_000 }).expectTypes()
    waiting
      .when({ _tag: "GiveUpWaiting", at, maxWaitMs: 60_000 })
      .expectEvents({ _tag: "RequestCancelled", at, reason: "expired", limit: "queue_timeout" })
  })

  it("is retried by its model's schedule", () => {
    const once = runsEndingIn(Story.outcomes.transportError, 10, { retries: 1, initialDelayMs: 7 })
    assert.deepStrictEqual(once.delays, [7])
    once.story.expectTypes("RequestFailed")
    const never = runsEndingIn(Story.outcomes.transportError, 10, { retries: 0, initialDelayMs: 7 })
    assert.deepStrictEqual(never.delays, [])
    never.story.expectTypes("RequestFailed")
  })

  it("runs again after a lost run, many times but not for ever", () => {
    const { delays, story } = runsEndingIn(Story.outcomes.lost, 100)
    assert.strictEqual(delays.length, lostRuns.retries)
    assert.strictEqual(Math.max(...delays), 60_000)
    story.expectEvents({
      _tag: "RequestFailed",
      at: Story.request.at + delays.reduce((sum, delay) => sum + delay, 0),
      attempt: 21,
      reason: "lost",
      message: "the node is gone"
    })
  })

  it("runs again three times after runs that were lost with their workers, and says so when it fails", () => {
    const lost: JudgedOutcome = { _tag: "Lost", message: "The worker is gone.", worker: true }
    const { delays, story } = runsEndingIn(lost, 100)
    assert.lengthOf(delays, 3)
    const message = "The worker is gone. This was lost run 4 of the request, and the last."
    story.expectTypes("RequestFailed").expectView(
      Story.ofRequest(({ phase }) => (phase._tag === "Failed" ? phase.message : null)),
      message
    )
  })

  it("keeps what an upstream says of an error, with each failed run and with the end", () => {
    const upstream: UpstreamError = { status: 503, code: "overloaded" }
    const error: JudgedOutcome = { _tag: "ProviderError", message: "busy", retryable: true, upstream }
    const running = given(aggregate).when(Story.submit).when(Story.dispatch(2_000))
    running.when(Story.end(error, { at: 3_000 })).expectEvents({
      _tag: "RequestRequeued",
      at: 3_000,
      attempt: 1,
      reason: "transport_error",
      message: "busy",
      upstream,
      dueAt: 3_250
    })
    const ends: ReadonlyArray<JudgedOutcome> = [
      { ...error, retryable: false },
      { _tag: "ModelFailed", message: "too long", upstream }
    ]
    for (const outcome of ends)
      running.when(Story.end(outcome)).expectView(Story.ofRequest(Status.upstream), upstream)
    running.when(Story.end(Story.outcomes.refused)).expectView(Story.ofRequest(Status.upstream), null)
  })

  it("does not count a lost run as a transport error", () => {
    const { story } = runsEndingIn(Story.outcomes.lost, 3)
    story.expectView(
      Story.ofRequest(({ retries }) => retries),
      { transport: 0, lost: 3 }
    )
  })

  it("waits for an upstream's rate limit as often as necessary, without counting a retry", () => {
    const { delays, story } = runsEndingIn(Story.outcomes.rateLimited, 50)
    assert.deepStrictEqual(new Set(delays), new Set([30_000]))
    assert.strictEqual(delays.length, 50)
    story.expectView(
      Story.ofRequest(({ retries, attempt }) => ({ ...retries, attempt })),
      { transport: 0, lost: 0, attempt: 50 }
    )
  })

  it("is due at once, without counting a retry, when its node shuts down", () => {
    given(aggregate, Phases.open.running)
      .when({ _tag: "Release", at: 5_000, attempt: 1 })
      .expectEvents({ ...Story.requeued(1, 5_000, "shutdown"), at: 5_000 })
      .expectView(
        Story.ofRequest(({ retries }) => retries),
        { transport: 0, lost: 0 }
      )
      .when(Story.dispatch(5_000))
      .expectEvents(Story.dispatched(2, 5_000))
  })

  it("counts a run that stopped without a request as lost", () => {
    given(aggregate, Phases.open.running).when(Story.end(Story.outcomes.stopped)).expectEvents({
      _tag: "RequestRequeued",
      at: 5_000,
      attempt: 1,
      reason: "lost",
      message: "The provider stopped the run.",
      dueAt: 5_250
    })
  })

  it("cannot be claimed before it is due", () => {
    given(aggregate, [Story.submitted, Story.dispatched(), Story.requeued(1, 4_250)])
      .when(Story.dispatch(4_249))
      .expectRejection("NotDispatchable")
      .when(Story.dispatch(4_250))
      .expectEvents(Story.dispatched(2, 4_250))
  })

  it("stays in progress between two runs once a provider has started it", () => {
    given(aggregate, Phases.open["queued again"]).expectView(Story.ofRequest(Status.status), "IN_PROGRESS")
    given(aggregate, [Story.submitted, Story.dispatched(), Story.requeued(1, 4_250)]).expectView(
      Story.ofRequest(Status.status),
      "IN_QUEUE"
    )
  })

  it("ignores the end of an abandoned run while the next one is in progress", () => {
    given(aggregate, [...Phases.open["queued again"], Story.dispatched(2)])
      .when(Story.end(Story.outcomes.succeeded, { attempt: 1 }))
      .expectNothing()
  })
})
