/** The providers of this server by name. */
import { Context, Effect, Layer } from "effect"
import { BuiltinProvider } from "./builtin/BuiltinProvider.ts"
import type { Provider } from "./Provider.ts"

export class Providers extends Context.Service<
  Providers,
  {
    /** What a model's `provider` field names; `null` when this server has none of that name. */
    find(name: string): Provider | null
  }
>()("inferlog/src/providers/Providers") {
  /** Dies when two providers have one name. */
  static readonly layerOf = (providers: ReadonlyArray<Provider>) =>
    Layer.sync(Providers, () => {
      const byName = new Map(providers.map((provider) => [provider.name, provider]))
      if (byName.size !== providers.length) throw new Error("expected one provider of each name")
      return Providers.of({ find: (name) => byName.get(name) ?? null })
    })

  static readonly layerNoDeps = Layer.unwrap(
    Effect.map(BuiltinProvider, (builtin) => this.layerOf([builtin]))
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(BuiltinProvider.layer))
}
