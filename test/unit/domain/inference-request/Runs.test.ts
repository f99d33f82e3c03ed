/** The contract's transitions ("States and transitions") from submit to the end of a run. */
import { describe, it } from "@effect/vitest"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import { billingStatus, cost, outcome, status } from "#domain/inference-request/Status.ts"
import * as Money from "#domain/Money.ts"
import { given } from "#test/support/Scenario.ts"
import * as Phases from "#test/support/domain/inference-request/Phases.ts"
import * as Story from "#test/support/domain/inference-request/Story.ts"

const { aggregate } = InferenceRequest

/** What a client sees. */
const told = Story.ofRequest((request) => ({
  status: status(request),
  outcome: outcome(request),
  billing: billingStatus(request),
  cost: Money.format(cost(request))
}))

const nothingYet = { outcome: "pending", billing: null, cost: "0" } as const
const notBilled = { billing: "failed", cost: "0" } as const

const report = (fraction: number | null, logs: ReadonlyArray<string>) =>
  ({ _tag: "RecordProgress", at: 4_000, attempt: 1, fraction, logs }) as const

describe("An inference request", () => {
  it("waits in the queue once it is submitted", () => {
    given(aggregate)
      .when(Story.submit)
      .expectEvents(Story.submitted)
      .expectView(told, { status: "IN_QUEUE", ...nothingYet })
  })

  it("is claimed by one node, and stays in the queue until the provider starts", () => {
    given(aggregate, Phases.open.queued)
      .when(Story.dispatch(2_000))
      .expectEvents(Story.dispatched())
      .expectView(told, { status: "IN_QUEUE", ...nothingYet })
      .when({ _tag: "Dispatch", at: 2_001, provider: "builtin", node: "node-2" })
      .expectRejection("NotDispatchable")
  })

  it("is in progress from the provider's start", () => {
    given(aggregate, Phases.open.dispatched)
      .when({ _tag: "RecordStarted", at: 3_000, attempt: 1 })
      .expectEvents(Story.started())
      .expectView(told, { status: "IN_PROGRESS", ...nothingYet })
  })

  it("completes and is charged when the provider finishes with a valid output", () => {
    given(aggregate, Phases.open.running)
      .when(Story.end(Story.outcomes.succeeded))
      .expectEvents(Story.received, Story.completed)
      .expectView(told, { status: "COMPLETED", outcome: "succeeded", billing: "charged", cost: "0.008" })
      .expectView(
        Story.ofRequest(({ output }) => output?.ref),
        Story.output
      )
  })

  it("goes from the queue to its end, with start and end in one append, if the run is fast", () => {
    given(aggregate, Phases.open.dispatched)
      .when(Story.end(Story.outcomes.succeeded, { startedAt: 3_000 }))
      .expectEvents(Story.started(), Story.received, Story.completed)
      .expectState(
        (state) =>
          state._tag === "Request" && state.phase._tag === "Completed" && state.phase.inferenceMs === 2_000
      )
  })

  it("records no start that the provider never reported", () => {
    given(aggregate, Phases.open.dispatched)
      .when(Story.end(Story.outcomes.succeeded))
      .expectEvents(Story.received, Story.completed)
      .expectState(
        (state) =>
          state._tag === "Request" && state.phase._tag === "Completed" && state.phase.inferenceMs === null
      )
  })

  it("records a start once", () => {
    given(aggregate, Phases.open.running)
      .when(Story.end(Story.outcomes.succeeded, { startedAt: 3_000 }))
      .expectEvents(Story.received, Story.completed)
  })

  it("fails, unbilled, when the provider refuses to run it", () => {
    given(aggregate, Phases.open.running)
      .when(Story.end(Story.outcomes.refused))
      .expectEvents(Story.failed)
      .expectView(told, { status: "FAILED", outcome: "failed", ...notBilled })
  })

  it("completes without a charge when the output breaks the model's schema, with every violation", () => {
    given(aggregate, Phases.open.running)
      .when(Story.end(Story.outcomes.invalid))
      .expectEvents(
        Story.received,
        { _tag: "OutputRejected", at: 5_000, attempt: 1, violations: Story.violations },
        { ...Story.notCharged, error: null }
      )
      .expectView(told, { status: "COMPLETED", outcome: "invalid_output", ...notBilled })
      .expectView(
        Story.ofRequest(({ violations }) => violations),
        Story.violations
      )
  })

  it("completes without a charge and with the error when the provider reports the run as failed", () => {
    given(aggregate, Phases.open.running)
      .when(Story.end(Story.outcomes.modelFailed))
      .expectEvents({ ...Story.notCharged, error: "out of memory" })
      .expectView(told, { status: "COMPLETED", outcome: "provider_failed", ...notBilled })
  })

  it("is charged as partial if less than requested was delivered", () => {
    given(aggregate, Phases.open.running)
      .when(Story.end(Story.delivered(3)))
      .expectEvents(
        { ...Story.received, delivered: Money.units(3) },
        {
          ...Story.completed,
          billing: { status: "partial", amount: Money.NanoUsd.make(6_000_000n), units: Money.units(3) }
        }
      )
      .expectView(told, { status: "COMPLETED", outcome: "partial", billing: "partial", cost: "0.006" })
  })

  it("is not charged and counts as failed at the provider if nothing was delivered", () => {
    given(aggregate, Phases.open.running)
      .when(Story.end(Story.delivered(0)))
      .expectEvents(
        { ...Story.received, delivered: Money.units(0) },
        { ...Story.notCharged, error: "The provider delivered nothing." }
      )
      .expectView(told, { status: "COMPLETED", outcome: "provider_failed", ...notBilled })
  })

  it("has an invalid output, not a provider error, if an output that breaks the schema delivered nothing", () => {
    given(aggregate, Phases.open.running)
      .when(Story.end({ ...Story.outcomes.invalid, delivered: Money.units(0) }))
      .expectEvents(
        { ...Story.received, delivered: Money.units(0) },
        { _tag: "OutputRejected", at: 5_000, attempt: 1, violations: Story.violations },
        { ...Story.notCharged, error: null }
      )
      .expectView(told, { status: "COMPLETED", outcome: "invalid_output", ...notBilled })
  })

  it("is charged in full for any amount if only the run determines it", () => {
    const quote = { ...Story.quote, quantity: null }
    given(aggregate, [
      { _tag: "RequestSubmitted", ...Story.request, quote },
      Story.dispatched(),
      Story.started()
    ])
      .when(Story.end(Story.delivered(3)))
      .expectView(told, { status: "COMPLETED", outcome: "succeeded", billing: "charged", cost: "0.006" })
  })

  it("is charged at most its hold", () => {
    given(aggregate, Phases.open.running)
      .when(Story.end(Story.delivered(400)))
      .expectView(told, { status: "COMPLETED", outcome: "succeeded", billing: "charged", cost: "0.008" })
  })

  it("keeps the newest 500 log lines and the last known progress", () => {
    given(aggregate, Phases.open.running)
      .when(report(0.25, ["first"]))
      .when(
        report(
          null,
          Array.from({ length: 500 }, (_, line) => `line ${line}`)
        )
      )
      .expectView(
        Story.ofRequest(({ progress, logs }) => [progress, logs.length, logs[0], logs.at(-1)]),
        [0.25, 500, "line 0", "line 499"]
      )
  })

  it("keeps the newest 65,536 characters of log lines, in whole lines", () => {
    const line = (name: string) => name.padEnd(1_000, ".")
    const lines = Array.from({ length: 100 }, (_, index) => line(`line ${index}`))
    given(aggregate, Phases.open.running)
      .when(report(null, lines))
      .expectView(
        Story.ofRequest(({ logs }) => logs),
        lines.slice(-65)
      )
      .when(report(null, ["short", line("last")]))
      .expectView(
        Story.ofRequest(({ logs }) => logs),
        [...lines.slice(-64), "short", line("last")]
      )
  })

  it("cuts a log line that exceeds the limit of the log", () => {
    given(aggregate, Phases.open.running)
      .when(report(null, ["first", "x".repeat(65_537)]))
      .expectView(
        Story.ofRequest(({ logs }) => logs),
        ["x".repeat(65_536)]
      )
  })

  it("ignores reports of any run but the current one", () => {
    for (const attempt of [0, 2]) {
      for (const command of [
        { _tag: "RecordAccepted", at: 5_000, attempt, jobId: "job-2" },
        { _tag: "RecordStarted", at: 5_000, attempt },
        { _tag: "RecordProgress", at: 5_000, attempt, fraction: 1, logs: [] },
        Story.end(Story.outcomes.succeeded, { attempt }),
        { _tag: "Release", at: 5_000, attempt }
      ] as const) {
        given(aggregate, Phases.open.dispatched).when(command).expectNothing()
      }
    }
  })

  it("records once that a run ended after the request", () => {
    const late = Story.end(Story.outcomes.succeeded, { at: 9_000, attempt: 1 })
    given(aggregate, [
      ...Phases.open["queued again"],
      Story.dispatched(2),
      { ...Story.completed, attempt: 2 }
    ])
      .when(late)
      .expectEvents({ _tag: "LateOutcomeIgnored", at: 9_000, attempt: 1, outcome: "Succeeded" })
      .expectView(told, { status: "COMPLETED", outcome: "succeeded", billing: "charged", cost: "0.008" })
      .when(late)
      .expectNothing()
  })
})
