/** What holds for a request under any sequence of commands. A failure prints the seed and the shortest sequence. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"
import type { Command } from "#domain/inference-request/Command.ts"
import type { Event } from "#domain/inference-request/Event.ts"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import { isTerminal, type State } from "#domain/inference-request/State.ts"
import type { JudgedOutcome } from "#domain/Outcome.ts"
import { replay } from "#test/support/Replay.ts"
import { stored } from "#test/support/Scenario.ts"
import * as Story from "./Story.ts"

const { decider, codec } = InferenceRequest.aggregate

/** A command but for what depends on the request's own past. */
interface Step {
  readonly name: Command["_tag"]
  /** ms since the step before. */
  readonly after: number
  /** Which run it speaks of: 0 is the newest, -1 the one before, 1 one that never was. */
  readonly run: number
  readonly outcome: JudgedOutcome
  readonly isStartKnown: boolean
}

const step: fc.Arbitrary<Step> = fc.record({
  name: fc.constantFrom(
    "Submit",
    "Dispatch",
    "Dispatch",
    "RecordAccepted",
    "RecordStarted",
    "RecordProgress",
    "RecordOutcome",
    "RecordOutcome",
    "Release",
    "Cancel"
  ),
  after: fc.constantFrom(0, 1, 250, 60_000),
  run: fc.constantFrom(0, 0, 0, 0, -1, 1),
  outcome: fc.oneof(
    fc.constantFrom<JudgedOutcome>(...Object.values(Story.outcomes)),
    fc.nat({ max: 9 }).map(Story.delivered)
  ),
  isStartKnown: fc.boolean()
})

const toCommand = ({ name, run, outcome, isStartKnown }: Step, at: number, state: State): Command => {
  const attempt = (state._tag === "Request" ? state.attempt : 0) + run
  switch (name) {
    case "Submit":
      return Story.submit
    case "Dispatch":
      return Story.dispatch(at)
    case "RecordAccepted":
      return { _tag: name, at, attempt, jobId: `job-${attempt}` }
    case "RecordStarted":
    case "Release":
      return { _tag: name, at, attempt }
    case "RecordProgress":
      return { _tag: name, at, attempt, fraction: 0.5, logs: [`at ${at}`] }
    case "RecordOutcome":
      return { _tag: name, at, attempt, startedAt: isStartKnown ? at : null, outcome }
    case "Cancel":
    case "Expire":
    case "ForceFail":
    case "RecordRemoved":
      return { _tag: name, at }
    case "SweepRetry":
      return { _tag: name, at, attempt, reason: isStartKnown ? "lost" : "media_missing" }
    case "RecordMedia":
      return { _tag: name, at, attempt, media: [], result: null }
    case "RefuseMedia":
      return { _tag: name, at, attempt, message: "no file" }
    case "Erase":
      return { _tag: name, at, reason: "requested" }
  }
}

const decide = (command: Command, state: State): ReadonlyArray<Event> =>
  Result.getOrElse(decider.decide(command, state), () => [])

/** Gives the commands one by one; `each` sees what every one of them led to. */
const play = (
  steps: ReadonlyArray<Step>,
  each: (moment: {
    readonly command: Command
    readonly before: State
    readonly events: ReadonlyArray<Event>
    readonly after: State
  }) => void = () => {}
) => {
  let at = Story.request.at
  let state: State = replay(decider, [Story.submitted])
  const log: Array<Event> = [Story.submitted]
  for (const next of steps) {
    at += next.after
    const command = toCommand(next, at, state)
    const events = decide(command, state).map(stored(codec))
    const after = replay(decider, events, state)
    each({ command, before: state, events, after })
    log.push(...events)
    state = after
  }
  return { log, state }
}

const holds = (property: (steps: ReadonlyArray<Step>) => void) =>
  fc.assert(fc.property(fc.array(step, { maxLength: 40 }), property), { numRuns: 2_000 })

const ofType = <Tag extends Event["_tag"]>(log: ReadonlyArray<Event>, ...tags: ReadonlyArray<Tag>) =>
  log.filter((event): event is Extract<Event, { readonly _tag: Tag }> =>
    (tags as ReadonlyArray<string>).includes(event._tag)
  )

const terminalTypes = ["RequestCompleted", "RequestFailed", "RequestCancelled"] as const

describe("Under any sequence of commands", () => {
  it("a request ends at most once, and nothing but late reports follows its end", () => {
    holds((steps) => {
      const { log, state } = play(steps)
      const ends = ofType(log, ...terminalTypes)
      assert.isAtMost(ends.length, 1)
      const [end] = ends
      if (end === undefined) return
      const followers = log.slice(log.indexOf(end) + 1)
      assert.deepStrictEqual(ofType(followers, "LateOutcomeIgnored"), followers)
      assert.isTrue(state._tag === "Request" && isTerminal(state.phase))
    })
  })

  it("a terminal phase is never left, nor altered", () => {
    holds((steps) => {
      play(steps, ({ before, after }) => {
        if (before._tag === "NotSubmitted" || !isTerminal(before.phase)) return
        assert.deepStrictEqual(after._tag === "Request" ? after.phase : null, before.phase)
      })
    })
  })

  it("a command given twice changes nothing the second time, but for a new sample of progress", () => {
    holds((steps) => {
      play(steps, ({ command, after }) => {
        if (command._tag === "RecordProgress") return
        assert.deepStrictEqual(decide(command, after), [])
      })
    })
  })

  it("runs are numbered from 1 without a gap", () => {
    holds((steps) => {
      const attempts = ofType(play(steps).log, "DispatchStarted").map(({ attempt }) => attempt)
      assert.deepStrictEqual(
        attempts,
        attempts.map((_, index) => index + 1)
      )
    })
  })

  it("each run starts, is accepted and ends at most once, in that order", () => {
    holds((steps) => {
      const { log } = play(steps)
      for (const { attempt } of ofType(log, "DispatchStarted")) {
        const life = log.filter((event) => "attempt" in event && event.attempt === attempt)
        assert.isAtMost(ofType(life, "RequestStarted").length, 1)
        assert.isAtMost(ofType(life, "ProviderAccepted").length, 1)
        const ends = ofType(life, "RequestCompleted", "RequestFailed", "RequestRequeued")
        assert.isAtMost(ends.length, 1)
        const [end] = ends
        if (end === undefined) continue
        const followers = life.slice(life.indexOf(end) + 1)
        assert.deepStrictEqual(ofType(followers, "LateOutcomeIgnored"), followers)
      }
    })
  })

  it("at most one charge is made, within the hold, and only for a valid output of the same run", () => {
    holds((steps) => {
      const { log } = play(steps)
      const charges = ofType(log, "RequestCompleted").filter(({ billing }) => billing.status !== "failed")
      assert.isAtMost(charges.length, 1)
      for (const { billing, attempt } of charges) {
        assert.isTrue(billing.amount >= 0n && billing.amount <= Story.quote.hold)
        assert.isTrue(ofType(log, "OutputReceived").some((output) => output.attempt === attempt))
        assert.deepStrictEqual(ofType(log, "OutputRejected"), [])
      }
      for (const { billing } of ofType(log, "RequestCompleted")) {
        if (billing.status === "failed") assert.strictEqual(billing.amount, 0n)
      }
    })
  })

  it("the state kept along the way is the state replayed from the log", () => {
    holds((steps) => {
      const { log, state } = play(steps)
      assert.deepStrictEqual(replay(decider, log), state)
      assert.deepStrictEqual(replay(decider, log.map(stored(codec))), state)
    })
  })

  it("a decision leaves the state it was given as it was", () => {
    holds((steps) => {
      play(steps, ({ command, before }) => {
        const frozen = structuredClone(before)
        decide(command, before)
        assert.deepStrictEqual(before, frozen)
      })
    })
  })

  it("an event on the log is taken as it is, in whatever state it is met", () => {
    holds((steps) => {
      const { log } = play(steps)
      for (const event of log) {
        assert.doesNotThrow(() => decider.evolve(decider.initial, event))
        assert.doesNotThrow(() => replay(decider, [...log, event]))
      }
    })
  })
})
