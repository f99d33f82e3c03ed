import { assert, describe, it } from "@effect/vitest"
import { Cause, Config, ConfigProvider, Effect, Exit, Schema } from "effect"
import { CliError } from "effect/cli"
import * as Failure from "#src/cli/Failure.ts"
import { EventStoreError } from "#streams/EventReader.ts"
import { DataDirectoryLocked } from "#streams/DataLock.ts"

describe("Failure.describe", () => {
  it.effect("names the invalid setting without its value", () =>
    Effect.gen(function* () {
      const environment = ConfigProvider.fromUnknown({ PORT: "hunter2", MASTER_KEY: "hunter2" })
      const even = Schema.String.check(Schema.makeFilter(() => false, { expected: "64 hex digits" }))
      const settings: Readonly<Record<string, Config.Config<unknown>>> = {
        PORT: Config.Port("PORT"),
        MASTER_KEY: Config.schema(even, "MASTER_KEY")
      }
      for (const [name, setting] of Object.entries(settings)) {
        const error = yield* Effect.flip(setting.parse(environment))
        assert.match(Failure.describe(error), new RegExp(`^${name}: Expected .+$`))
        assert.notInclude(Failure.describe(error), "hunter2")
      }
    })
  )

  it("names the setting of errors that do not name one", () => {
    const locked = new DataDirectoryLocked({ directory: "/data" })
    assert.strictEqual(Failure.describe(locked), "DATA_DIR: Another inferlog process uses /data")
  })

  it("returns one line for every error", () => {
    assert.strictEqual(Failure.describe(new Error("one\n  two")), "one two")
    assert.strictEqual(Failure.describe({ _tag: "Nameless" }), "Nameless")
  })
})

describe("Failure.teardown", () => {
  const codeOf = (exit: Exit.Exit<unknown, unknown>) => {
    let ended: number | undefined
    Failure.teardown(exit, (code) => (ended = code))
    return ended
  }
  const missing = new CliError.MissingOption({ option: "name" })

  it("returns 0 for success and for requested help", () => {
    assert.strictEqual(codeOf(Exit.void), 0)
    assert.strictEqual(codeOf(Exit.fail(new CliError.ShowHelp({ commandPath: [], errors: [] }))), 0)
  })

  it("returns 1 for failures and bugs", () => {
    assert.strictEqual(codeOf(Exit.fail(new EventStoreError({ reason: "no" }))), 1)
    assert.strictEqual(codeOf(Exit.die(new Error("bug"))), 1)
  })

  it("returns 2 for wrong usage", () => {
    assert.strictEqual(codeOf(Exit.fail(missing)), 2)
    assert.strictEqual(codeOf(Exit.fail(new CliError.ShowHelp({ commandPath: [], errors: [missing] }))), 2)
    assert.strictEqual(codeOf(Exit.fail(new Failure.UsageError({ message: "which?" }))), 2)
  })

  it("returns 130 when a command was interrupted", () => {
    assert.strictEqual(codeOf(Exit.failCause(Cause.interrupt())), 130)
  })
})
