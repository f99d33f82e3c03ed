import { assert, describe, it } from "@effect/vitest"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import type { Event } from "#domain/inference-request/Event.ts"
import type { Request, State } from "#domain/inference-request/State.ts"
import * as FollowedTime from "#src/features/dispatch/FollowedTime.ts"
import * as Story from "#test/support/domain/inference-request/Story.ts"

const { decider } = InferenceRequest.aggregate

/** A run that started at 10 s and reported progress at these times, ms. */
const running = (...heard: ReadonlyArray<number>): Request => {
  const events: ReadonlyArray<Event> = [
    { _tag: "RequestSubmitted", ...Story.request },
    { _tag: "DispatchStarted", at: 9_000, attempt: 1, provider: "p", node: "n" },
    { _tag: "RequestStarted", at: 10_000, attempt: 1 },
    ...heard.map((at) => ({ _tag: "ProgressReported", at, attempt: 1, fraction: null, logs: [] }) as const)
  ]
  const state = events.reduce<State>(decider.evolve, decider.initial)
  if (state._tag === "NotSubmitted") throw new Error("expected a request")
  return state
}

describe("The measured time of a run", () => {
  it.each([
    ["is all of it when it was always followed", running(), 10_000, 60],
    ["excludes the time from the last sign until it was followed again", running(20_000, 25_000), 65_000, 20],
    ["starts when it was followed again if there was no earlier sign", running(), 65_000, 5],
    ["ends with the last sign if it is not followed", running(25_000), null, 15],
    ["is never longer than the run", running(69_000), 20_000, 60],
    ["is zero for a run in the future", running(), 90_000, 0]
  ] as const)("%s", (_name, request, since, seconds) => {
    assert.strictEqual(FollowedTime.seconds(request, { now: 70_000, since }), seconds)
  })
})
