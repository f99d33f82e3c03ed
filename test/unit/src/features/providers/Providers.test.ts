import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import type { Adapter } from "#domain/catalog/ProviderBinding.ts"
import type { Provider } from "#src/features/providers/Provider.ts"
import { Providers } from "#src/features/providers/Providers.ts"

const named = (adapter: Adapter): Provider => ({
  adapter,
  run: () => Effect.succeed({ _tag: "Stopped" }),
  reattach: () => Effect.succeed({ _tag: "Stopped" }),
  look: () => Effect.succeed({ _tag: "Unknown" })
})

describe("Providers", () => {
  it.effect("finds a provider by its adapter, and none for an unknown one", () =>
    Effect.gen(function* () {
      const [a, b] = [named("cog"), named("fal")]
      const found = yield* Effect.provide(
        Effect.map(Providers, ({ find }) =>
          (["cog", "fal", "http"] as const).map((adapter) => find(adapter))
        ),
        Providers.layerOf([a, b])
      )
      assert.deepStrictEqual(found, [a, b, null])
    })
  )

  it.effect("rejects two providers of one adapter", () =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(
        Effect.provide(Effect.asVoid(Providers), Providers.layerOf([named("cog"), named("cog")]))
      )
      assert.isTrue(Exit.isFailure(exit) && Exit.hasDies(exit))
    })
  )
})
