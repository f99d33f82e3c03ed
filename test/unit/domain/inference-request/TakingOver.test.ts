/** A run whose node is gone and that another node follows. */
import { describe, it } from "@effect/vitest"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import type { Event } from "#domain/inference-request/Event.ts"
import { given } from "#test/support/Scenario.ts"
import * as Phases from "#test/support/domain/inference-request/Phases.ts"
import * as Story from "#test/support/domain/inference-request/Story.ts"

const { aggregate } = InferenceRequest

const taken: Event = { _tag: "RunTakenOver", at: 5_000, attempt: 1, node: "node-2" }
const runNow = Story.ofRequest(({ phase }) => ("run" in phase ? phase.run : null))

describe("A run that is taken over", () => {
  it("is the same run at another node", () => {
    given(aggregate, [...Phases.open.accepted, Story.started()])
      .when(Story.takeOver(5_000))
      .expectEvents(taken)
      .expectView(runNow, { provider: "builtin", node: "node-2", jobId: "job-1" })
      .when(Story.end(Story.outcomes.succeeded))
      .expectTypes("OutputReceived", "RequestCompleted")
  })

  it("is given to one of two nodes", () => {
    given(aggregate, Phases.open.accepted)
      .when(Story.takeOver(5_000))
      .expectEvents(taken)
      .when({ _tag: "TakeOver", at: 5_000, attempt: 1, from: "node-1", node: "node-3" })
      .expectNothing()
      .expectView(runNow, { provider: "builtin", node: "node-2", jobId: "job-1" })
  })

  it("can be taken over again when that node is gone too", () => {
    given(aggregate, Phases.open["taken over"])
      .when({ _tag: "TakeOver", at: 6_000, attempt: 1, from: "node-2", node: "node-3" })
      .expectEvents({ ...taken, at: 6_000, node: "node-3" })
  })

  it("is not taken over by its own node", () => {
    given(aggregate, Phases.open.accepted)
      .when({ _tag: "TakeOver", at: 5_000, attempt: 1, from: "node-1", node: "node-1" })
      .expectNothing()
  })

  it("is not taken over if it is another run or its job is unknown", () => {
    given(aggregate, Phases.open.accepted)
      .when(Story.takeOver(5_000, { attempt: 2 }))
      .expectNothing()
    given(aggregate, Phases.open.running).when(Story.takeOver(5_000)).expectNothing()
  })
})
