import { assert, describe, it } from "@effect/vitest"
import type { Event } from "#domain/inference-request/Event.ts"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import * as Status from "#domain/inference-request/Status.ts"
import { replay } from "#test/support/Replay.ts"
import * as Phases from "#test/support/domain/inference-request/Phases.ts"
import * as Story from "#test/support/domain/inference-request/Story.ts"

const running = Phases.open.running
const amount = Story.quote.hold

const endings = {
  partial: { ...Story.completed, billing: { ...Story.completed.billing, status: "partial" } },
  failedByModel: { ...Story.notCharged, error: "out of memory" },
  rejected: { _tag: "OutputRejected", at: 5_000, attempt: 1, violations: Story.violations }
} as const satisfies Record<string, Event>

const told = Story.ofRequest((request) => [
  Status.status(request),
  Status.outcome(request),
  Status.billingStatus(request),
  Status.cost(request)
])

describe("The status for clients", () => {
  it.each<[string, ReadonlyArray<Event>, ReadonlyArray<unknown>]>([
    ["queued", Phases.open.queued, ["IN_QUEUE", "pending", null, 0n]],
    ["claimed", Phases.open.dispatched, ["IN_QUEUE", "pending", null, 0n]],
    ["running", running, ["IN_PROGRESS", "pending", null, 0n]],
    ["between two runs", Phases.open["queued again"], ["IN_PROGRESS", "pending", null, 0n]],
    [
      "claimed again",
      [...Phases.open["queued again"], Story.dispatched(2)],
      ["IN_PROGRESS", "pending", null, 0n]
    ],
    ["storing its files", Phases.open.finalizing, ["IN_PROGRESS", "pending", null, 0n]],
    [
      "storing the files of a run whose start was never reported",
      [...Phases.open.dispatched, Story.receivedWithMedia],
      ["IN_PROGRESS", "pending", null, 0n]
    ],
    [
      "delivered with files",
      Phases.terminal["completed with files"],
      ["COMPLETED", "succeeded", "charged", amount]
    ],
    ["given up", Phases.terminal["given up while finalizing"], ["FAILED", "failed", "failed", 0n]],
    ["delivered", Phases.terminal.completed, ["COMPLETED", "succeeded", "charged", amount]],
    [
      "delivered in part",
      [...running, Story.received, endings.partial],
      ["COMPLETED", "partial", "partial", amount]
    ],
    [
      "failed by the model",
      [...running, endings.failedByModel],
      ["COMPLETED", "provider_failed", "failed", 0n]
    ],
    [
      "delivered in another form",
      [...running, Story.received, endings.rejected, Story.notCharged],
      ["COMPLETED", "invalid_output", "failed", 0n]
    ],
    ["failed", Phases.terminal.failed, ["FAILED", "failed", "failed", 0n]],
    ["cancelled", Phases.terminal["cancelled while running"], ["CANCELLED", "cancelled", "failed", 0n]],
    ["expired", Phases.terminal.expired, ["CANCELLED", "expired", "failed", 0n]]
  ])("of a request that is %s", (_case, events, expected) => {
    const { decider } = InferenceRequest.aggregate
    assert.deepStrictEqual(told(replay(decider, events)), expected)
  })
})
