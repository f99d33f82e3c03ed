/** A table of the result of every command in every phase. */
import { describe, it } from "@effect/vitest"
import type { Command, Rejection } from "#domain/inference-request/Command.ts"
import type { Event } from "#domain/inference-request/Event.ts"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import { given } from "#test/support/Scenario.ts"
import * as Phases from "#test/support/domain/inference-request/Phases.ts"
import * as Story from "#test/support/domain/inference-request/Story.ts"

const at = 5_000

const commands = {
  Submit: Story.submit,
  Dispatch: Story.dispatch(at),
  RecordAccepted: { _tag: "RecordAccepted", at, attempt: 1, jobId: "job-1" },
  RecordStarted: { _tag: "RecordStarted", at, attempt: 1 },
  RecordProgress: { _tag: "RecordProgress", at, attempt: 1, fraction: 0.5, logs: ["half way"] },
  Succeeded: Story.end(Story.outcomes.succeeded),
  Invalid: Story.end(Story.outcomes.invalid),
  ModelFailed: Story.end(Story.outcomes.modelFailed),
  Refused: Story.end(Story.outcomes.refused),
  TransportError: Story.end(Story.outcomes.transportError),
  RateLimited: Story.end(Story.outcomes.rateLimited),
  Lost: Story.end(Story.outcomes.lost),
  Unreachable: Story.end(Story.outcomes.unreachable),
  Stopped: Story.end(Story.outcomes.stopped),
  TakeOver: Story.takeOver(at),
  TakeOverOfAnother: Story.takeOver(at, { from: "node-3" }),
  Release: { _tag: "Release", at, attempt: 1 },
  SucceededWithMedia: Story.end(Story.outcomes.succeededWithMedia),
  Cancel: { _tag: "Cancel", at },
  RecordMedia: Story.recordMedia(at),
  RefuseMedia: Story.refuseMedia(at),
  SweepLost: Story.sweepRetry(at, "lost"),
  SweepMediaMissing: Story.sweepRetry(at, "media_missing"),
  PostponeMedia: Story.postponeMedia(at),
  // For a request that is seconds old and has no deadlines.
  Expire: { _tag: "Expire", at },
  // For a request that has been due for some seconds.
  GiveUpWaiting: { _tag: "GiveUpWaiting", at, maxWaitMs: 1 },
  ForceFail: { _tag: "ForceFail", at },
  Erase: { _tag: "Erase", at, reason: "requested" },
  RecordRemoved: { _tag: "RecordRemoved", at }
} as const satisfies Record<string, Command>

type Answer = ReadonlyArray<Event["_tag"]> | Rejection["_tag"]
type Row = Record<keyof typeof commands, Answer>

const every = (answer: Answer): Row => ({
  Submit: answer,
  Dispatch: answer,
  RecordAccepted: answer,
  RecordStarted: answer,
  RecordProgress: answer,
  Succeeded: answer,
  Invalid: answer,
  ModelFailed: answer,
  Refused: answer,
  TransportError: answer,
  RateLimited: answer,
  Lost: answer,
  Unreachable: answer,
  Stopped: answer,
  TakeOver: answer,
  TakeOverOfAnother: answer,
  Release: answer,
  SucceededWithMedia: answer,
  Cancel: answer,
  RecordMedia: answer,
  RefuseMedia: answer,
  SweepLost: answer,
  SweepMediaMissing: answer,
  PostponeMedia: answer,
  Expire: answer,
  GiveUpWaiting: answer,
  ForceFail: answer,
  Erase: answer,
  RecordRemoved: answer
})

/** The defaults: nothing takes effect, and there is nothing to erase. */
const open: Row = { ...every([]), Dispatch: "NotDispatchable", Erase: "RequestNotEnded" }

const dispatched: Row = {
  ...open,
  RecordAccepted: ["ProviderAccepted"],
  RecordStarted: ["RequestStarted"],
  RecordProgress: ["ProgressReported"],
  Succeeded: ["OutputReceived", "RequestCompleted"],
  Invalid: ["OutputReceived", "OutputRejected", "RequestCompleted"],
  ModelFailed: ["RequestCompleted"],
  Refused: ["RequestFailed"],
  TransportError: ["RequestRequeued"],
  RateLimited: ["RequestRequeued"],
  Lost: ["RequestRequeued"],
  Unreachable: ["RequestRequeued"],
  Stopped: ["RequestRequeued"],
  Release: ["RequestRequeued"],
  SucceededWithMedia: ["OutputReceived"],
  Cancel: ["CancelRequested"],
  SweepLost: ["SweepRetried"]
}
const running: Row = { ...dispatched, RecordStarted: [] }

const toBeCancelled: Partial<Row> = {
  Refused: ["RequestCancelled"],
  TransportError: ["RequestCancelled"],
  RateLimited: ["RequestCancelled"],
  Lost: ["RequestCancelled"],
  Unreachable: ["RequestCancelled"],
  Stopped: ["RequestCancelled"],
  Release: ["RequestCancelled"],
  Cancel: [],
  SweepLost: ["RequestCancelled"]
}

const queued: Row = {
  ...open,
  Dispatch: ["DispatchStarted"],
  Cancel: ["CancelRequested", "RequestCancelled"],
  GiveUpWaiting: ["RequestCancelled"]
}

/** The run has ended: neither its reports nor a cancel change anything. */
const finalizing: Row = {
  ...open,
  RecordMedia: ["MediaStored", "RequestCompleted"],
  RefuseMedia: ["RequestCompleted"],
  SweepMediaMissing: ["SweepRetried"],
  PostponeMedia: ["SweepRetried"]
}

/** Run 1 has ended the request, or no run was ever started. */
const ended: Row = { ...every([]), Dispatch: "NotDispatchable", Erase: ["PayloadsErased"] }

/** Run 1 was in progress or given up when the request ended without it. */
const endedWithoutRun: Row = {
  ...ended,
  Succeeded: ["LateOutcomeIgnored"],
  Invalid: ["LateOutcomeIgnored"],
  ModelFailed: ["LateOutcomeIgnored"],
  Refused: ["LateOutcomeIgnored"],
  TransportError: ["LateOutcomeIgnored"],
  RateLimited: ["LateOutcomeIgnored"],
  Lost: ["LateOutcomeIgnored"],
  Unreachable: ["LateOutcomeIgnored"],
  Stopped: ["LateOutcomeIgnored"],
  SucceededWithMedia: ["LateOutcomeIgnored"]
}

const table: Record<Phases.Phase, Row> = {
  "not submitted": { ...every("RequestNotFound"), Submit: ["RequestSubmitted"] },
  queued,
  dispatched,
  accepted: { ...dispatched, RecordAccepted: [], TakeOver: ["RunTakenOver"] },
  "taken over": { ...dispatched, RecordAccepted: [] },
  running,
  "dispatched, to be cancelled": { ...dispatched, ...toBeCancelled },
  "running, to be cancelled": { ...running, ...toBeCancelled },
  "queued again": queued,
  finalizing,
  "finalizing, to be cancelled": finalizing,
  completed: ended,
  "completed with files": ended,
  failed: ended,
  "cancelled while queued": ended,
  "cancelled while running": ended,
  "cancelled between two runs": endedWithoutRun,
  expired: endedWithoutRun,
  "expired while finalizing": ended,
  "given up while running": endedWithoutRun,
  "given up while finalizing": ended,
  erased: { ...ended, Erase: [] }
}

const rows = Object.entries(table) as ReadonlyArray<[Phases.Phase, Row]>
const columns = Object.keys(commands) as ReadonlyArray<keyof typeof commands>

describe("Commands to an inference request", () => {
  for (const [phase, row] of rows) {
    it(`lead to the results in the table: ${phase}`, () => {
      for (const name of columns) {
        const then = given(InferenceRequest.aggregate, Phases.all[phase]).when(commands[name])
        const answer = row[name]
        if (typeof answer === "string") then.expectRejection(answer)
        else then.expectTypes(...answer)
      }
    })
  }

  it("leave a terminal phase unchanged", () => {
    for (const events of Object.values(Phases.terminal)) {
      const { state } = given(InferenceRequest.aggregate, events)
      for (const name of columns) {
        given(InferenceRequest.aggregate, events)
          .when(commands[name])
          .expectView(
            Story.ofRequest(({ phase }) => phase),
            Story.ofRequest(({ phase }) => phase)(state)
          )
      }
    }
  })

  it("change nothing when repeated, except for a new sample of progress", () => {
    for (const [phase, events] of Object.entries({ ...Phases.open, ...Phases.terminal })) {
      for (const name of columns) {
        if (name === "RecordProgress") continue
        const again = given(InferenceRequest.aggregate, events).when(commands[name]).when(commands[name])
        if (name === "Dispatch") again.expectRejection("NotDispatchable")
        else if (name === "Erase" && phase in Phases.open) again.expectRejection("RequestNotEnded")
        else again.expectNothing()
      }
    }
  })
})
