import { assert, describe, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, type Fiber } from "effect"
import * as Later from "#src/kernel/async/Later.ts"
import * as Settled from "#src/kernel/async/Settled.ts"

/** Settles the effect and notes the results, and how many fibers it takes. */
const settled = <A, E>(effect: Effect.Effect<A, E>) => {
  const exits: Array<Exit.Exit<A, E>> = []
  const counted = { fibers: 0 }
  const fork = <B, F>(waiting: Effect.Effect<B, F>): Fiber.Fiber<B, F> => {
    counted.fibers++
    return Effect.runFork(waiting)
  }
  const waiting = Later.settle(effect, fork, (exit) => exits.push(exit))
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

describe("Later.settle", () => {
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

/** Work that ends when the test says so. */
const job = () => {
  const ends: Array<(exit: Exit.Exit<number, string>) => void> = []
  const work = Later.work<number, string>((onExit) => ends.push(onExit))
  return { work, end: (exit: Exit.Exit<number, string>) => ends.shift()?.(exit), count: () => ends.length }
}

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

  it("does nothing until it is run", () => {
    const { count, work } = job()
    const built: Array<number> = []
    const chain = Later.flatMap(
      Later.uninterruptible(() => {
        built.push(1)
        return work
      }),
      (value) => Effect.succeed(value + 1)
    )
    assert.deepStrictEqual([built, count()], [[], 0])
    settled(chain)
    assert.deepStrictEqual([built, count()], [[1], 1])
  })

  it("goes on with a failure, and with what follows it, without a fiber", () => {
    const { end, work } = job()
    const seen: Array<string> = []
    const chain = Later.andThen(
      Later.onExit(work, (exit) => seen.push(exit._tag)),
      (exit) => (Exit.isSuccess(exit) ? exit : Exit.succeed(0))
    )
    const { counted, exits } = settled(Later.map(chain, String))
    end(Exit.fail("broken"))
    assert.deepStrictEqual([exits, seen, counted.fibers], [[Exit.succeed("0")], ["Failure"], 0])
  })

  it("passes a failure by what needs a value", () => {
    const { end, work } = job()
    const { exits } = settled(Later.map(work, () => assert.fail("there is no value")))
    end(Exit.fail("broken"))
    assert.deepStrictEqual(exits, [Exit.fail("broken")])
  })

  it("takes a fiber for a step that needs one", () => {
    const { end, work } = job()
    const { counted, exits } = settled(Later.flatMap(work, (value) => Effect.sync(() => value + 1)))
    assert.strictEqual(counted.fibers, 0)
    end(Exit.succeed(1))
    assert.deepStrictEqual([exits, counted.fibers], [[Exit.succeed(2)], 1])
  })

  it("turns what a step throws into a defect", () => {
    const { end, work } = job()
    const { exits } = settled(
      Later.map(work, () => {
        throw new Error("broken")
      })
    )
    end(Exit.succeed(1))
    assert.isTrue(exits.length === 1 && exits.every((exit) => Exit.hasDies(exit)))
  })

  it("does not interrupt work that has begun", () => {
    const { end, work } = job()
    const { exits, waiting } = settled(Later.map(work, String))
    waiting?.interrupt()
    assert.deepStrictEqual(exits, [])
    end(Exit.succeed(3))
    assert.deepStrictEqual(exits, [Exit.succeed("3")])
  })

  it.effect("does not interrupt work that a fiber has begun", () =>
    Effect.gen(function* () {
      const { end, work } = job()
      const whole = Later.uninterruptible(() => Later.map(work, String))
      const fiber = yield* Effect.forkChild(whole, { startImmediately: true })
      fiber.interruptUnsafe()
      assert.isUndefined(fiber.pollUnsafe())
      end(Exit.succeed(3))
      assert.isDefined(fiber.pollUnsafe())
    })
  )

  it.effect("completes an effect that is not to be interrupted, also in a fiber that is", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<number>()
      const reached: Array<number> = []
      const whole = Later.uninterruptible(() =>
        Effect.map(Deferred.await(gate), (value) => reached.push(value))
      )
      const fork = <B, F>(waiting: Effect.Effect<B, F>): Fiber.Fiber<B, F> => {
        const fiber = Effect.runFork(waiting)
        fiber.interruptUnsafe()
        return fiber
      }
      Later.settle(whole, fork, () => {})
      yield* Deferred.succeed(gate, 3)
      assert.deepStrictEqual(reached, [3])
    })
  )

  it("interrupts the step that it waits for", () => {
    const { end, work } = job()
    const { count, later } = signal()
    const { exits, waiting } = settled(Later.flatMap(work, () => later))
    end(Exit.succeed(1))
    assert.strictEqual(count(), 1)
    waiting?.interrupt()
    assert.strictEqual(count(), 0)
    assert.isTrue(isInterrupted(exits[0]))
  })
})
