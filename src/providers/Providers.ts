/** The providers of this server by their adapter. */
import { Context, Effect, Layer } from "effect"
import type { Adapter } from "#domain/catalog/ProviderBinding.ts"
import { BuiltinProvider } from "./builtin/BuiltinProvider.ts"
import type { Provider } from "./Provider.ts"

export class Providers extends Context.Service<
  Providers,
  {
    /** What a binding's `adapter` field names; `null` when this server has none of it. */
    find(adapter: Adapter): Provider | null
    readonly all: ReadonlyArray<Provider>
  }
>()("inferlog/src/providers/Providers") {
  /** Dies when two providers have one adapter. */
  static readonly layerOf = (providers: ReadonlyArray<Provider>) =>
    Layer.sync(Providers, () => {
      const byAdapter = new Map(providers.map((provider) => [provider.adapter, provider]))
      if (byAdapter.size !== providers.length) throw new Error("expected one provider of each adapter")
      return Providers.of({ find: (adapter) => byAdapter.get(adapter) ?? null, all: providers })
    })

  static readonly layerNoDeps = Layer.unwrap(
    Effect.map(BuiltinProvider, (builtin) => this.layerOf([builtin]))
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(BuiltinProvider.layer))
}
