import { describe, it } from "@effect/vitest"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import { type NextAction, nextAction } from "#domain/inference-request/NextAction.ts"
import { given } from "#test/support/Scenario.ts"
import * as Phases from "#test/support/domain/inference-request/Phases.ts"
import * as Story from "#test/support/domain/inference-request/Story.ts"

const run = { provider: "builtin", node: "node-1", jobId: null }

const owed: Record<keyof typeof Phases.open, NextAction> = {
  queued: { _tag: "Dispatch", dueAt: Story.request.at },
  dispatched: { _tag: "AwaitOutcome", run },
  accepted: { _tag: "AwaitOutcome", run: { ...run, jobId: "job-1" } },
  "taken over": { _tag: "AwaitOutcome", run: { ...run, node: "node-2", jobId: "job-1" } },
  running: { _tag: "AwaitOutcome", run },
  "dispatched, to be cancelled": { _tag: "StopRun", run },
  "running, to be cancelled": { _tag: "StopRun", run },
  "queued again": { _tag: "Dispatch", dueAt: 4_250 },
  finalizing: { _tag: "Finalize", run, dueAt: 5_000 },
  "finalizing, to be cancelled": { _tag: "Finalize", run, dueAt: 5_000 }
}

describe("The next action of a request", () => {
  for (const [phase, action] of Object.entries(owed) as ReadonlyArray<[keyof typeof owed, NextAction]>) {
    it(`is ${action._tag} if it is ${phase}`, () => {
      given(InferenceRequest.aggregate, Phases.open[phase]).expectView(Story.ofRequest(nextAction), action)
    })
  }

  it("is not needed once the request has ended", () => {
    for (const events of Object.values(Phases.terminal)) {
      given(InferenceRequest.aggregate, events).expectView(Story.ofRequest(nextAction), { _tag: "None" })
    }
  })

  it("is to remove data outside the log after an erasure, until it is removed", () => {
    const erased = given(InferenceRequest.aggregate, [
      ...Phases.terminal["completed with files"],
      Story.erased(["input", "output", "result"], true)
    ])
    erased.expectView(Story.ofRequest(nextAction), { _tag: "RemoveFiles" })
    erased
      .when({ _tag: "RecordRemoved", at: 9_500 })
      .expectView(Story.ofRequest(nextAction), { _tag: "None" })
  })

  it("is to store the files of an output again after a postponement by the sweep", () => {
    given(InferenceRequest.aggregate, [
      ...Phases.open.finalizing,
      Story.swept(1, 60_000, 120_000, "media_missing")
    ]).expectView(Story.ofRequest(nextAction), { _tag: "Finalize", run, dueAt: 120_000 })
  })

  it("has the provider's job of a started run", () => {
    given(InferenceRequest.aggregate, [...Phases.open.accepted, Story.started()]).expectView(
      Story.ofRequest(nextAction),
      { _tag: "AwaitOutcome", run: { ...run, jobId: "job-1" } }
    )
  })

  it("has no job after the run has ended", () => {
    given(InferenceRequest.aggregate, [
      ...Phases.open.accepted,
      Story.requeued(1, 4_250),
      Story.dispatched(2)
    ]).expectView(Story.ofRequest(nextAction), { _tag: "AwaitOutcome", run })
  })
})
