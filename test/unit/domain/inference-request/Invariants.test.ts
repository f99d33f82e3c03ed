/** Invariants of a request under any sequence of commands. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import { isTerminal } from "#domain/inference-request/State.ts"
import { billingStatus, cost, outcome, status } from "#domain/inference-request/Status.ts"
import * as Frozen from "#test/support/Frozen.ts"
import { replay } from "#test/support/Replay.ts"
import { stored } from "#test/support/Scenario.ts"
import {
  decide,
  holds,
  life,
  ofType,
  play,
  terminalTypes
} from "#test/support/domain/inference-request/Lives.ts"
import * as Story from "#test/support/domain/inference-request/Story.ts"

const { decider, codec } = InferenceRequest.aggregate

/** The events that may follow the end of a request. */
const afterlife = ["LateOutcomeIgnored", "PayloadsErased", "ErasedFilesRemoved"] as const

const told = Story.ofRequest((request) => [
  status(request),
  outcome(request),
  billingStatus(request),
  cost(request)
])

describe("Under any sequence of commands", () => {
  it("every event occurs, so that no property holds vacuously", () => {
    const lives = fc.sample(life, { numRuns: 2_000, seed: 7 })
    const met = new Set(lives.flatMap((life) => play(life).log.map(({ _tag }) => _tag)))
    assert.sameMembers([...met], [...codec.types])
  })

  it("a request ends at most once; only late reports and erasing follow its end", () => {
    holds((life) => {
      const { log, state } = play(life)
      const ends = ofType(log, ...terminalTypes)
      assert.isAtMost(ends.length, 1)
      const [end] = ends
      if (end === undefined) return
      const followers = log.slice(log.indexOf(end) + 1)
      assert.sameMembers([...ofType(followers, ...afterlife)], followers)
      assert.isTrue(state._tag === "Request" && isTerminal(state.phase))
    })
  })

  it("a terminal phase is never left, changed or shown differently", () => {
    holds((life) => {
      play(life, ({ before, after }) => {
        if (before._tag === "NotSubmitted" || !isTerminal(before.phase)) return
        assert.deepStrictEqual(after._tag === "Request" ? after.phase : null, before.phase)
        assert.deepStrictEqual(told(after), told(before))
      })
    })
  })

  it("a repeated command changes nothing, except for a new sample of progress", () => {
    holds((life) => {
      play(life, ({ command, after }) => {
        if (command._tag === "RecordProgress") return
        assert.deepStrictEqual(decide(command, after), [])
      })
    })
  })

  it("runs are numbered from 1 without gaps", () => {
    holds((life) => {
      const attempts = ofType(play(life).log, "DispatchStarted").map(({ attempt }) => attempt)
      assert.deepStrictEqual(
        attempts,
        attempts.map((_, index) => index + 1)
      )
    })
  })

  it("each run starts and is accepted at most once, and reports nothing after its end", () => {
    holds((life) => {
      const { log } = play(life)
      for (const { attempt } of ofType(log, "DispatchStarted")) {
        const ofRun = log.filter((event) => "attempt" in event && event.attempt === attempt)
        assert.isAtMost(ofType(ofRun, "RequestStarted").length, 1)
        assert.isAtMost(ofType(ofRun, "ProviderAccepted").length, 1)
        const failures = ofType(ofRun, "RequestFailed").filter(({ reason }) => reason !== "media_missing")
        const returns = ofType(ofRun, "OutputReceived", "RequestRequeued")
        assert.isAtMost(returns.length + failures.length, 1)
        const ends = ofType(ofRun, "OutputReceived", "RequestRequeued", "SweepRetried", ...terminalTypes)
        const [end] = ends
        if (end === undefined) continue
        const followers = ofRun.slice(ofRun.indexOf(end) + 1)
        const heard = ofType(followers, "RequestStarted", "ProviderAccepted", "ProgressReported")
        assert.deepStrictEqual(heard, [])
      }
    })
  })

  it("a late answer is recorded at most once for each run, and never for one with a received output", () => {
    holds((life) => {
      const { log } = play(life)
      const late = ofType(log, "LateOutcomeIgnored").map(({ attempt }) => attempt)
      assert.deepStrictEqual(late, [...new Set(late)])
      for (const { attempt } of ofType(log, "OutputReceived")) assert.notInclude(late, attempt)
    })
  })

  it("an output is received at most once, and its files are stored at most once, after it", () => {
    holds((life) => {
      const { log } = play(life)
      const received = ofType(log, "OutputReceived")
      const stored = ofType(log, "MediaStored")
      assert.isAtMost(received.length, 1)
      assert.isAtMost(stored.length, received.length)
      for (const event of stored) {
        assert.strictEqual(event.attempt, received[0]?.attempt)
        assert.isDefined(received[0]?.media)
      }
    })
  })

  it("retries of the sweep are numbered from 1, and end after five and more than six hours", () => {
    holds((life) => {
      const { log } = play(life)
      const retries = ofType(log, "SweepRetried").map(({ retry }) => retry)
      assert.deepStrictEqual(
        retries,
        retries.map((_, index) => index + 1)
      )
      for (const end of ofType(log, "RequestForceFailed")) {
        assert.isAtLeast(retries.length, 5)
        assert.strictEqual(end.retries, retries.length)
        assert.isAbove(end.at - Story.request.at, 6 * 60 * 60 * 1_000)
      }
    })
  })

  it("no request expires before its deadline or is claimed after it", () => {
    holds((life) => {
      const { log } = play(life)
      const { startBy = Infinity, endBy = Infinity } = life.deadlines
      const isStarted = ofType(log, "RequestStarted", "OutputReceived").length > 0
      for (const { at, limit, reason } of ofType(log, "RequestCancelled")) {
        if (reason === "expired" && limit === undefined)
          assert.isAtLeast(at, isStarted ? endBy : Math.min(startBy, endBy))
      }
      for (const { at } of ofType(log, "DispatchStarted")) assert.isBelow(at, endBy)
    })
  })

  it("the incremental state equals the replayed state", () => {
    holds((life) => {
      const { log, state } = play(life)
      assert.deepStrictEqual(replay(decider, log), state)
      assert.deepStrictEqual(replay(decider, log.map(stored(codec))), state)
    })
  })

  it("a decision does not change the state that it gets", () => {
    holds((life) => {
      play(life, ({ command, before }) => void decide(command, Frozen.freeze(before)))
    })
  })

  it("any event on the log is accepted in any state", () => {
    holds((life) => {
      const { log, state } = play(life)
      for (const event of log) {
        assert.doesNotThrow(() => decider.evolve(decider.initial, event))
        assert.doesNotThrow(() => decider.evolve(state, event))
      }
    })
  })
})
