/** Plays a crowd in a separate world and checks the result. */
import * as fs from "node:fs"
import { assert } from "@effect/vitest"
import { Effect, References } from "effect"
import { TestClock } from "effect/testing"
import * as AtRest from "./AtRest.ts"
import * as Client from "./Client.ts"
import * as FullStore from "./FullStore.ts"
import * as Invariants from "./Invariants.ts"
import type { Crowd } from "./Script.ts"
import * as World from "./World.ts"

const memory = "/dev/shm"

/** Thousands of short-lived read model files, in memory if possible. */
if (fs.existsSync(memory)) process.env["TMPDIR"] = memory

/** Real time for one crowd. */
const patience = "60 seconds"

const checkDefects = (world: World.World) => {
  const [defect] = world.defects()
  if (defect !== undefined) throw defect
}

/** Plays without the checks and returns the world at rest. */
export const toRest = Effect.fnUntraced(function* ({ sequences, turns }: Crowd) {
  const world = yield* World.make
  const clients = yield* Effect.forEach(sequences, (sequence, index) => Client.make(world, sequence, index))
  const rounds = Math.max(...sequences.map(({ commands }) => commands.length))
  for (let round = 0; round < rounds; round++) {
    yield* Effect.forEach(clients, ({ step }) => step(round), { discard: true })
    yield* world.take(turns[round % Math.max(turns.length, 1)] ?? { _tag: "Settle" })
    checkDefects(world)
  }
  // A failure now is retried within this time; a failure in the middle would be retried later.
  yield* world.settle
  yield* world.take({ _tag: "Clock", ms: AtRest.heartbeatMs })
  Invariants.checkStops(world, yield* AtRest.lives)
  const left = yield* AtRest.bring(world, turns.length % 2 === 0)
  checkDefects(world)
  assert.deepStrictEqual(left, [], "requests that never end")
  return { world, clients, lives: yield* AtRest.lives }
})

/** In a new world with a separate clock. */
export const inWorld = <A, E>(effect: Effect.Effect<A, E, Effect.Services<ReturnType<typeof toRest>>>) =>
  Effect.runPromise(
    effect.pipe(
      Effect.scoped,
      Effect.provide(FullStore.layer),
      Effect.provide(TestClock.layer()),
      Effect.provideService(References.MinimumLogLevel, "None"),
      Effect.timeoutOrElse({
        duration: patience,
        orElse: () => Effect.die(new Error(`The world did not come to rest in ${patience}`))
      })
    )
  )

/** Throws on a broken invariant. Returns the types of the events. */
export const play = (crowd: Crowd, isThorough: boolean): Promise<ReadonlySet<string>> =>
  inWorld(
    Effect.gen(function* () {
      const { clients, lives, world } = yield* toRest(crowd)
      yield* Invariants.check(world, clients, lives, isThorough)
      return new Set([...lives.values()].flat().map(({ _tag }) => _tag))
    })
  )
