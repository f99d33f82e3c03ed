import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import type { Provider } from "#src/providers/Provider.ts"
import { Providers } from "#src/providers/Providers.ts"

const named = (name: string): Provider => ({
  name,
  run: () => Effect.succeed({ _tag: "Stopped" }),
  reattach: () => Effect.succeed({ _tag: "Stopped" }),
  look: () => Effect.succeed({ _tag: "Unknown" })
})

describe("Providers", () => {
  it.effect("finds a provider by its name, and none under another", () =>
    Effect.gen(function* () {
      const [a, b] = [named("a"), named("b")]
      const found = yield* Effect.provide(
        Effect.map(Providers, ({ find }) => ["a", "b", "c", "constructor"].map((name) => find(name))),
        Providers.layerOf([a, b])
      )
      assert.deepStrictEqual(found, [a, b, null, null])
    })
  )

  it.effect("refuses two providers of one name", () =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(
        Effect.provide(Effect.asVoid(Providers), Providers.layerOf([named("a"), named("a")]))
      )
      assert.isTrue(Exit.isFailure(exit) && Exit.hasDies(exit))
    })
  )
})
