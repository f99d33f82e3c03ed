/** The help of `inferlog` does not load the commands that it lists. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Commands from "#src/cli/Commands.ts"

describe("Commands", () => {
  it.effect("are described by their outlines as by themselves", () =>
    Effect.gen(function* () {
      const outlines = yield* Commands.named(["--help"])
      const all = yield* Commands.named(["--completions", "bash"])
      assert.deepStrictEqual(
        outlines.map(({ description, name }) => [name, description]),
        all.map(({ description, name, shortDescription }) => [name, shortDescription ?? description])
      )
    })
  )

  it.effect("are loaded when an argument names them", () =>
    Effect.gen(function* () {
      const [keys] = (yield* Commands.named(["--data-dir", "x", "keys"])).filter(
        ({ name }) => name === "keys"
      )
      assert.isNotEmpty(keys?.subcommands)
    })
  )
})
