/** A table of the result of every command in every phase. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { Command, Rejection } from "#domain/webhook-delivery/Command.ts"
import type { Event } from "#domain/webhook-delivery/Event.ts"
import * as WebhookDelivery from "#domain/webhook-delivery/WebhookDelivery.ts"
import { given } from "#test/support/Scenario.ts"
import * as Phases from "#test/support/domain/webhook-delivery/Phases.ts"
import * as Story from "#test/support/domain/webhook-delivery/Story.ts"

/** Before the retry of a waiting delivery, and after all other events. */
const at = 10_000

const commands = {
  Schedule: Story.schedule(),
  ScheduleAndStart: Story.schedule("node-2"),
  Start: Story.start(at),
  StartLater: Story.start(11_000),
  Succeeded: Story.end(Story.accepted, 1, at),
  Unavailable: Story.end(Story.failures.unavailable, 1, at),
  Gone: Story.end(Story.failures.gone, 1, at),
  PrivateAddress: Story.end(Story.failures.privateAddress, 1, at),
  Lose: Story.lose(1, at),
  LoseOfAnother: Story.lose(1, at, "node-2"),
  Replay: Story.replay(at),
  Recover: Story.recover(at),
  RecoverAnother: Story.recover(at, "recovery-2"),
  Abandon: { _tag: "Abandon", at },
  Erase: Story.erase(at)
} as const satisfies Record<string, Command>

type Answer = ReadonlyArray<Event["_tag"]> | Rejection["_tag"]
type Row = Record<keyof typeof commands, Answer>

const every = (answer: Answer): Row => ({
  Schedule: answer,
  ScheduleAndStart: answer,
  Start: answer,
  StartLater: answer,
  Succeeded: answer,
  Unavailable: answer,
  Gone: answer,
  PrivateAddress: answer,
  Lose: answer,
  LoseOfAnother: answer,
  Replay: answer,
  Recover: answer,
  RecoverAnother: answer,
  Abandon: answer,
  Erase: answer
})

/** The defaults: nothing takes effect. */
const nothing: Row = { ...every([]), Start: "AttemptNotDue", StartLater: "AttemptNotDue" }

/** Due to be sent. */
const due: Row = {
  ...nothing,
  Start: ["AttemptStarted"],
  StartLater: ["AttemptStarted"],
  Abandon: ["DeliveryFailed"],
  Erase: ["PayloadsErased", "DeliveryFailed"]
}

/** Attempt 2 is in progress; attempt 1 has ended. */
const deliveringAgain: Row = { ...nothing, Replay: "DeliveryInProgress", Erase: ["PayloadsErased"] }

const delivering: Row = {
  ...deliveringAgain,
  Succeeded: ["AttemptSucceeded"],
  Unavailable: ["AttemptFailed"],
  Gone: ["AttemptFailed", "DeliveryFailed"],
  PrivateAddress: ["AttemptFailed", "DeliveryFailed"],
  Lose: ["AttemptLost"]
}

const delivered: Row = { ...nothing, Replay: ["ReplayRequested"], Erase: ["PayloadsErased"] }
const failed: Row = { ...delivered, Recover: ["ReplayRequested"], RecoverAnother: ["ReplayRequested"] }
const erased: Row = { ...nothing, Replay: "BodyErased" }

const table: Record<Phases.Phase, Row> = {
  "not scheduled": {
    ...every("DeliveryNotFound"),
    Schedule: ["DeliveryScheduled"],
    ScheduleAndStart: ["DeliveryScheduled", "AttemptStarted"]
  },
  pending: due,
  "waiting to retry": { ...due, Start: "AttemptNotDue", Replay: ["ReplayRequested"] },
  "replayed after success": due,
  "replayed after failure": due,
  "recovered after failure": due,
  delivering,
  "delivering, erased": {
    ...delivering,
    Unavailable: ["AttemptFailed", "DeliveryFailed"],
    Lose: ["AttemptLost", "DeliveryFailed"],
    Replay: "BodyErased",
    Erase: []
  },
  "delivering again": deliveringAgain,
  delivered,
  gone: failed,
  exhausted: failed,
  "at a private address": failed,
  "recovered, and failed again": { ...failed, Recover: [] },
  "erased while pending": erased,
  "erased while waiting": erased,
  "erased while delivering, delivered": erased,
  "erased while delivering, failed": erased,
  "delivered, then erased": erased,
  "failed, then erased": erased
}

const rows = Object.entries(table) as ReadonlyArray<[Phases.Phase, Row]>
const columns = Object.keys(commands) as ReadonlyArray<keyof typeof commands>

describe("Commands to a delivery", () => {
  for (const [phase, row] of rows) {
    it(`lead to the results in the table: ${phase}`, () => {
      for (const name of columns) {
        const then = given(WebhookDelivery.aggregate, Phases.all[phase]).when(commands[name])
        const answer = row[name]
        if (typeof answer === "string") then.expectRejection(answer)
        else then.expectTypes(...answer)
      }
    })
  }

  it("change nothing when repeated", () => {
    const { decide } = WebhookDelivery.aggregate.decider
    for (const [phase] of rows) {
      for (const name of columns) {
        const { state } = given(WebhookDelivery.aggregate, Phases.all[phase]).when(commands[name])
        const again = Result.getOrElse(decide(commands[name], state), () => [])
        assert.deepStrictEqual(again, [], `${name}: ${phase}`)
      }
    }
  })
})
