import { assert, describe, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, type Fiber } from "effect"
import * as Later from "#src/kernel/async/Later.ts"
import * as Settled from "#src/kernel/async/Settled.ts"

/** Settles the effect and notes the results, and how many fibers it takes. */
const settled = <A, E>(effect: Effect.Effect<A, E>) => {
  const exits: Array<Exit.Exit<A, E>> = []
  const counted = { fibers: 0 }
  const fork = (waiting: Effect.Effect<A, E>): Fiber.Fiber<A, E> => {
    counted.fibers++
    return Effect.runFork(waiting)
  }
  const waiting = Settled.settle(effect, fork, (exit) => exits.push(exit))
  return { counted, exits, waiting }
}

/** A callback that the test calls. */
const signal = () => {
  const waiting = new Set<(value: number) => void>()
  const later = Later.make<number>((onValue) => {
    waiting.add(onValue)
    return () => waiting.delete(onValue)
  })
  const send = (value: number) => {
    for (const run of waiting) {
      waiting.delete(run)
      run(value)
    }
  }
  return { later, send, count: () => waiting.size }
}

const isInterrupted = (exit: Exit.Exit<unknown, unknown> | undefined) =>
  exit !== undefined && Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)

describe("Settled.settle", () => {
  it("returns what is known at once, without a fiber", () => {
    const { counted, exits, waiting } = settled(Effect.succeed(1))
    assert.deepStrictEqual([exits, counted.fibers, waiting], [[Exit.succeed(1)], 0, null])
  })

  it("turns what a function throws into a defect", () => {
    const broken = Settled.of((): Effect.Effect<never> => {
      throw new Error("broken")
    })
    assert.isTrue(Exit.isExit(broken) && Exit.hasDies(broken))
  })

  it("waits for a callback without a fiber, also for a mapped one", () => {
    const { later, send } = signal()
    const { counted, exits } = settled(Later.map(later, (value) => value + 1))
    assert.deepStrictEqual(exits, [])
    send(1)
    assert.deepStrictEqual([exits, counted.fibers], [[Exit.succeed(2)], 0])
  })

  it("ends the wait for a callback when it is interrupted", () => {
    const { count, later, send } = signal()
    const { exits, waiting } = settled(later)
    waiting?.interrupt()
    send(1)
    waiting?.interrupt()
    assert.strictEqual(count(), 0)
    assert.lengthOf(exits, 1)
    assert.isTrue(isInterrupted(exits[0]))
  })

  it.effect("runs anything else in a fiber, and interrupts that", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<number>()
      const ended = settled(Deferred.await(gate))
      yield* Deferred.succeed(gate, 3)
      assert.deepStrictEqual([ended.exits, ended.counted.fibers], [[Exit.succeed(3)], 1])
      const stopped = settled(Effect.never)
      stopped.waiting?.interrupt()
      assert.isTrue(isInterrupted(stopped.exits[0]))
    })
  )
})

describe("Later", () => {
  it.effect("is an effect like any other", () =>
    Effect.gen(function* () {
      const { count, later, send } = signal()
      const joined = yield* Effect.forkChild(Later.map(later, String), { startImmediately: true })
      send(5)
      assert.deepStrictEqual(joined.pollUnsafe(), Exit.succeed("5"))
      const raced = yield* Effect.raceFirst(later, Effect.succeed(0))
      assert.deepStrictEqual([raced, count()], [0, 0])
    })
  )
})
