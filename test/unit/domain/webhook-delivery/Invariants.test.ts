/** Invariants of a delivery under any sequence of commands. */
import { assert, describe, it } from "@effect/vitest"
import type { Event } from "#domain/webhook-delivery/Event.ts"
import { DeliveryFailed } from "#domain/webhook-delivery/Event.ts"
import { aggregate } from "#domain/webhook-delivery/WebhookDelivery.ts"
import * as Frozen from "#test/support/Frozen.ts"
import { replay } from "#test/support/Replay.ts"
import { stored } from "#test/support/Scenario.ts"
import {
  decide,
  holds,
  ofType,
  play,
  schedules,
  someLives
} from "#test/support/domain/webhook-delivery/Lives.ts"
import * as Story from "#test/support/domain/webhook-delivery/Story.ts"

const { codec, decider } = aggregate

const ends = ["AttemptSucceeded", "AttemptFailed", "AttemptLost"] as const

/** When an attempt may be made after this event; `null` if the event does not decide that. */
const dueAt = (event: Event): number | null => {
  if (event._tag === "DeliveryScheduled" || event._tag === "ReplayRequested") return event.at
  return "nextAttemptAt" in event ? event.nextAttemptAt : null
}

/** The reported end of an attempt. */
const errorOf = (end: Extract<Event, { readonly _tag: (typeof ends)[number] }>) => {
  switch (end._tag) {
    case "AttemptSucceeded":
      return null
    case "AttemptFailed":
      return end.error
    case "AttemptLost":
      return "connection_failed"
  }
}

describe("Under any sequence of commands", () => {
  it("every event occurs, so that no property holds vacuously", () => {
    const log = someLives().flatMap((life) => play(life).log)
    assert.sameMembers([...new Set(log.map(({ _tag }) => _tag))], [...codec.types])
    const reasons = new Set(ofType(log, "DeliveryFailed").map(({ reason }) => reason))
    assert.sameMembers([...reasons], [...DeliveryFailed.fields.reason.literals])
  })

  it("a schedule has at most ten attempts, and is exhausted by exactly ten", () => {
    holds((life) => {
      for (const events of schedules(play(life).log)) {
        const begun = ofType(events, "AttemptStarted").length
        assert.isAtMost(begun, 10)
        const isExhausted = ofType(events, "DeliveryFailed").some(({ reason }) => reason === "exhausted")
        if (isExhausted) assert.strictEqual(begun, 10)
      }
    })
  })

  it("attempts are numbered from 1 without gaps, across replays", () => {
    holds((life) => {
      const numbers = ofType(play(life).log, "AttemptStarted").map(({ attempt }) => attempt)
      assert.deepStrictEqual(
        numbers,
        numbers.map((_, index) => index + 1)
      )
    })
  })

  it("each attempt ends at most once, before the next begins", () => {
    holds((life) => {
      const attempts = ofType(play(life).log, "AttemptStarted", ...ends)
      for (const [index, event] of attempts.entries()) {
        const isStart = event._tag === "AttemptStarted"
        assert.strictEqual(isStart, index % 2 === 0)
        if (!isStart) assert.strictEqual(event.attempt, attempts[index - 1]?.attempt)
      }
    })
  })

  it("a retry is due exactly after the contract's delay", () => {
    holds((life) => {
      for (const events of schedules(play(life).log)) {
        for (const [index, end] of ofType(events, ...ends).entries()) {
          if (end._tag === "AttemptSucceeded" || end.nextAttemptAt === null) continue
          assert.strictEqual(end.nextAttemptAt, end.at + (Story.delays[index] ?? Number.NaN))
        }
      }
    })
  })

  it("no attempt begins before it is due", () => {
    holds((life) => {
      let due: number | null = null
      for (const event of play(life).log) {
        if (event._tag === "AttemptStarted") {
          assert.isNotNull(due)
          assert.isAtLeast(event.at, due ?? Infinity)
          due = null
        } else due = dueAt(event) ?? due
      }
    })
  })

  it("nothing is sent after a success or a permanent failure without a replay", () => {
    holds((life) => {
      for (const events of schedules(play(life).log)) {
        const over = events.findIndex(({ _tag }) => _tag === "AttemptSucceeded" || _tag === "DeliveryFailed")
        if (over === -1) continue
        const followers = events.slice(over + 1)
        assert.sameMembers([...ofType(followers, "PayloadsErased")], followers)
      }
    })
  })

  it("no attempt begins after the body is erased, which happens once", () => {
    holds((life) => {
      const { log, state } = play(life)
      const [erased, ...again] = ofType(log, "PayloadsErased")
      assert.deepStrictEqual(again, [])
      if (erased === undefined) return
      const followers = log.slice(log.indexOf(erased) + 1)
      assert.deepStrictEqual(ofType(followers, "AttemptStarted", "ReplayRequested"), [])
      assert.notStrictEqual(Story.phase(state)._tag, "Pending")
    })
  })

  it("body and address never change", () => {
    holds((life) => {
      const { log, state } = play(life)
      assert.strictEqual(ofType(log, "DeliveryScheduled").length, 1)
      assert.deepStrictEqual(Story.ofDelivery(({ scheduled }) => scheduled)(state), {
        _tag: "DeliveryScheduled",
        ...Story.delivery
      })
    })
  })

  it("a repeated command changes nothing", () => {
    holds((life) => {
      play(life, ({ command, after }) => assert.deepStrictEqual(decide(command, after), []))
    })
  })

  it("a recovery sends only failed deliveries again, and never twice in a row", () => {
    holds((life) => {
      const { log } = play(life, ({ before, command, events }) => {
        if (command._tag !== "Recover" || events.length === 0) return
        assert.strictEqual(Story.phase(before)._tag, "Failed")
      })
      const recoveries = ofType(log, "ReplayRequested").flatMap(({ recoveryId }) => recoveryId ?? [])
      for (const [index, recovery] of recoveries.entries()) {
        assert.notStrictEqual(recovery, recoveries[index + 1])
      }
    })
  })

  it("the reported delivery matches its events", () => {
    holds((life) => {
      const { log, state } = play(life)
      const last = ofType(log, ...ends).at(-1)
      const told = Story.ofDelivery(({ attempts, deliveredAt, history, updatedAt, used, ...rest }) => ({
        attempts,
        used,
        began: history.map(({ at }) => at),
        deliveredAt,
        updatedAt,
        lastResponseStatus: rest.lastResponseStatus,
        lastError: rest.lastError
      }))
      const started = ofType(log, "AttemptStarted")
      assert.deepStrictEqual(told(state), {
        attempts: started.length,
        used: ofType(schedules(log).at(-1) ?? [], "AttemptStarted").length,
        began: started.map(({ at }) => at),
        deliveredAt: ofType(log, "AttemptSucceeded").at(-1)?.at ?? null,
        updatedAt: log.at(-1)?.at ?? Number.NaN,
        lastResponseStatus: last === undefined || last._tag === "AttemptLost" ? null : last.responseStatus,
        lastError: last === undefined ? null : errorOf(last)
      })
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
