import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Queue, Stream } from "effect"
import * as Until from "#test/support/Until.ts"

const soon = { limitMs: 30 }

/** The message of a wait that fails, and how long it took in real time, ms. */
const failed = Effect.fnUntraced(function* <R>(wait: Effect.Effect<unknown, never, R>) {
  const began = performance.now()
  const exit = yield* Effect.exit(wait)
  const message = Exit.isFailure(exit) ? String(Cause.squash(exit.cause)) : "did not fail"
  return { message, ms: performance.now() - began }
})

describe("A wait", () => {
  it.effect("returns the state that satisfies the condition", () =>
    Effect.gen(function* () {
      let looks = 0
      const look = Effect.sync(() => ++looks)
      assert.strictEqual(yield* Until.until("a look", look, (count) => count === 3), 3)
      assert.strictEqual(yield* Until.first("an element", Stream.make(1, 2, 3), (count) => count === 2), 2)
      yield* Until.holds("looks", () => ++looks > 300)
      const asked = () => (++looks > 302 ? Promise.resolve("here") : Promise.reject(new Error("not yet")))
      assert.strictEqual(yield* Until.answers(asked), "here")
    })
  )

  it.effect("fails in real time under the test clock, with what it waited for and the last state", () =>
    Effect.gen(function* () {
      const state = Effect.succeed({ posts: 2, cost: 3n })
      const never = yield* Queue.unbounded<string>()
      yield* Queue.offer(never, "an element")
      for (const [wait, message] of [
        [
          Until.until("3 posts", state, ({ posts }) => posts === 3, soon),
          'for 3 posts. Last seen: {"posts":2,"cost":"3n"}'
        ],
        [
          Until.polled("3 posts", state, ({ posts }) => posts === 3, soon),
          'for 3 posts. Last seen: {"posts":2,"cost":"3n"}'
        ],
        [
          Until.holds(
            "a fact",
            () => false,
            () => [1, 2],
            soon
          ),
          'for a fact. Last seen: {"state":[1,2]}'
        ],
        [
          Until.first("the end", Stream.fromQueue(never), (text) => text === "end", soon),
          'for the end. Last seen: "an element"'
        ],
        [
          Until.answers(() => Promise.reject(new Error("refused")), soon),
          'Last seen: {"failure":"Error: refused"}'
        ],
        [Until.answers(() => new Promise(() => {}), soon), 'for an answer. Last seen: "nothing"'],
        [Until.until("a look that hangs", Effect.sleep("1 day"), () => true, soon), 'Last seen: "nothing"'],
        [
          Until.within("a signal", Effect.never, () => new Map([["a", 1]]), soon),
          'for a signal. Last seen: {"a":1}'
        ]
      ] as const) {
        const { message: told, ms } = yield* failed(wait)
        assert.include(told, "Waited 30 ms for")
        assert.include(told, message)
        assert.isAtLeast(ms, 29)
      }
    })
  )

  it.effect("shortens a long state", () =>
    Effect.gen(function* () {
      const { message } = yield* failed(
        Until.holds(
          "a fact",
          () => false,
          () => "x".repeat(100_000),
          soon
        )
      )
      assert.isBelow(message.length, 2_200)
      assert.include(message, "(100012 characters)")
    })
  )

  it.effect("ends after 5 s by default", () =>
    Effect.gen(function* () {
      const { message, ms } = yield* failed(Until.within("a signal", Effect.never, () => "none"))
      assert.include(message, 'Waited 5000 ms for a signal. Last seen: "none"')
      assert.isAtLeast(ms, 4_999)
    })
  )
})
