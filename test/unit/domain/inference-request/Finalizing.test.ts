/**
 * Outputs that name files: received first, and settled once the files are stored (contract, "States and
 * transitions").
 */
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
const underWay = { status: "IN_PROGRESS", outcome: "pending", billing: null, cost: "0" } as const
const settled = { ...Story.completed, at: 6_000 }

const inferenceMs = Story.ofRequest(({ phase }) =>
  phase._tag === "Completed" || phase._tag === "Finalizing" ? phase.inferenceMs : undefined
)
const output = Story.ofRequest(({ output }) => output)

describe("An output that names files", () => {
  it("is received, and neither charged nor shown before the files are stored", () => {
    given(aggregate, Phases.open.running)
      .when(Story.end(Story.outcomes.succeededWithMedia))
      .expectEvents(Story.receivedWithMedia)
      .expectView(told, underWay)
  })

  it("is received with the start of a fast run in one append", () => {
    given(aggregate, Phases.open.dispatched)
      .when(Story.end(Story.outcomes.succeededWithMedia, { startedAt: 3_000 }))
      .expectEvents(Story.started(), Story.receivedWithMedia)
      .expectView(told, underWay)
  })

  it("is settled with its stored files and charged", () => {
    given(aggregate, Phases.open.finalizing)
      .when(Story.recordMedia(6_000))
      .expectEvents(Story.mediaStored, settled)
      .expectView(told, { status: "COMPLETED", outcome: "succeeded", billing: "charged", cost: "0.008" })
      .expectView(
        Story.ofRequest(({ media }) => media),
        Story.storedMedia
      )
      .expectView(output, { name: "result", ref: Story.result })
  })

  it("stays unchanged if its URLs were ours from the start", () => {
    const { payloads: _, ...stored } = Story.mediaStored
    given(aggregate, Phases.open.finalizing)
      .when(Story.recordMedia(6_000, { result: null }))
      .expectEvents(stored, settled)
      .expectView(output, { name: "output", ref: Story.output })
  })

  it("is charged as partial if less than requested was delivered", () => {
    given(aggregate, Phases.open.running)
      .when(Story.end(Story.deliveredWithMedia(3)))
      .expectEvents({ ...Story.receivedWithMedia, delivered: Money.units(3) })
      .when(Story.recordMedia(6_000))
      .expectEvents(Story.mediaStored, {
        ...settled,
        billing: { status: "partial", amount: Money.NanoUsd.make(6_000_000n), units: Money.units(3) }
      })
      .expectView(told, { status: "COMPLETED", outcome: "partial", billing: "partial", cost: "0.006" })
  })

  it("waits for no file if nothing was delivered", () => {
    given(aggregate, Phases.open.running)
      .when(Story.end(Story.deliveredWithMedia(0)))
      .expectTypes("OutputReceived", "RequestCompleted")
      .expectView(told, { status: "COMPLETED", outcome: "provider_failed", billing: "failed", cost: "0" })
  })

  it("waits for no file if it breaks the model's schema", () => {
    const { output, ...succeeded } = Story.outcomes.succeededWithMedia
    given(aggregate, Phases.open.running)
      .when(Story.end({ ...succeeded, output: { ...output, violations: Story.violations } }))
      .expectEvents(
        Story.received,
        { _tag: "OutputRejected", at: 5_000, attempt: 1, violations: Story.violations },
        Story.notCharged
      )
  })

  it("completes without a charge, with the error, if its files are refused permanently", () => {
    given(aggregate, Phases.open.finalizing)
      .when(Story.refuseMedia(6_000))
      .expectEvents({ ...Story.notCharged, at: 6_000, error: "The file is not there." })
      .expectView(told, { status: "COMPLETED", outcome: "provider_failed", billing: "failed", cost: "0" })
  })

  it("is settled once, whichever call comes first", () => {
    const [stored, refused] = [Story.recordMedia(6_000), Story.refuseMedia(6_000)]
    for (const [first, second] of [
      [stored, refused],
      [refused, stored],
      [stored, stored],
      [refused, refused]
    ] as const) {
      given(aggregate, Phases.open.finalizing).when(first).when(second).expectNothing()
    }
  })

  it("is received once", () => {
    const again = Story.end(Story.outcomes.succeededWithMedia, { at: 5_500 })
    given(aggregate, Phases.open.finalizing).when(again).expectNothing()
    given(aggregate, Phases.terminal["completed with files"]).when(again).expectNothing()
  })

  it("has the time of its run, without the copying", () => {
    given(aggregate, Phases.open.finalizing).when(Story.recordMedia(3_600_000)).expectView(inferenceMs, 2_000)
    given(aggregate, Phases.open.finalizing).when(Story.refuseMedia(3_600_000)).expectView(inferenceMs, 2_000)
  })

  it("has no time if the start of its run is unknown", () => {
    given(aggregate, Phases.open.dispatched)
      .when(Story.end(Story.outcomes.succeededWithMedia))
      .when(Story.recordMedia(6_000))
      .expectView(inferenceMs, null)
  })
})

describe("While the files of an output are stored", () => {
  it("a cancel comes too late", () => {
    given(aggregate, Phases.open.finalizing)
      .when({ _tag: "Cancel", at: 5_500 })
      .expectNothing()
      .when(Story.recordMedia(6_000))
      .expectEvents(Story.mediaStored, settled)
  })

  it("an earlier cancel has lost: completed and billed", () => {
    given(aggregate, Phases.open["running, to be cancelled"])
      .when(Story.end(Story.outcomes.succeededWithMedia))
      .expectEvents(Story.receivedWithMedia)
      .when(Story.recordMedia(6_000))
      .expectView(told, { status: "COMPLETED", outcome: "succeeded", billing: "charged", cost: "0.008" })
  })

  it("no run is claimed, started, accepted, released or reported", () => {
    for (const command of [
      { _tag: "RecordAccepted", at: 5_500, attempt: 1, jobId: "job-1" },
      { _tag: "RecordStarted", at: 5_500, attempt: 1 },
      { _tag: "RecordProgress", at: 5_500, attempt: 1, fraction: 1, logs: ["late"] },
      { _tag: "Release", at: 5_500, attempt: 1 },
      Story.end(Story.outcomes.lost),
      Story.end(Story.outcomes.transportError)
    ] as const) {
      given(aggregate, Phases.open.finalizing).when(command).expectNothing()
    }
    given(aggregate, Phases.open.finalizing).when(Story.dispatch(5_500)).expectRejection("NotDispatchable")
  })

  it("files of another run settle nothing", () => {
    for (const attempt of [0, 2]) {
      given(aggregate, Phases.open.finalizing).when(Story.recordMedia(6_000, { attempt })).expectNothing()
      given(aggregate, Phases.open.finalizing).when(Story.refuseMedia(6_000, attempt)).expectNothing()
    }
  })
})

it("Files settle no request that is in another phase", () => {
  const { finalizing: _, "finalizing, to be cancelled": _asked, ...others } = Phases.open
  for (const events of Object.values({ ...others, ...Phases.terminal })) {
    given(aggregate, events).when(Story.recordMedia(6_000)).expectNothing()
    given(aggregate, events).when(Story.refuseMedia(6_000)).expectNothing()
  }
})
