/**
 * With any sequence of actions by two clients, time, sweeps and a failing log, each client sees what it was told, and
 * no one else sees anything.
 */
import * as fs from "node:fs"
import { describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, References } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import * as Library from "#test/support/src/features/files/Library.ts"
import { play } from "#test/support/src/features/files/ModelPlay.ts"
import { keptHours, script } from "#test/support/src/features/files/ModelScript.ts"

const memory = "/dev/shm"

/** Thousands of small files, in memory if possible. */
if (fs.existsSync(memory)) process.env["TMPDIR"] = memory

const runs = Number(process.env["MODEL_RUNS"] ?? 400)
const seed = Number(process.env["MODEL_SEED"] ?? Date.now() % 1_000_000)

describe("Any sequence of commands on files", () => {
  it.live(
    "answers each client consistently, and never discloses another account's files",
    () =>
      Effect.gen(function* () {
        yield* Effect.sync(() => process.stdout.write(`files: ${runs} runs, MODEL_SEED=${seed}\n`))
        const context = yield* Effect.context<Effect.Services<ReturnType<typeof play>>>()
        let serial = 0
        const property = fc.asyncProperty(script, (commands) =>
          Effect.runPromiseWith(context)(play(serial++, commands))
        )
        yield* Effect.promise(() => fc.assert(property, { seed, numRuns: runs }))
      }).pipe(
        Effect.provide(Library.local()),
        Effect.provide(ConfigProvider.layer(ConfigProvider.fromUnknown({ RETENTION: `${keptHours} hours` }))),
        Effect.provide(TestClock.layer()),
        Effect.provideService(References.MinimumLogLevel, "None")
      ),
    120_000
  )
})
