/** The providers of this server by adapter. */
import { Context, Effect, Layer } from "effect"
import type { Adapter } from "#domain/catalog/ProviderBinding.ts"
import { BuiltinProvider } from "./builtin/BuiltinProvider.ts"
import * as CogProvider from "./cog/CogProvider.ts"
import { discreet } from "./Redaction.ts"
import * as FalProvider from "./fal/FalProvider.ts"
import * as HttpProvider from "./http/HttpProvider.ts"
import * as KserveProvider from "./kserve/KserveProvider.ts"
import * as OpenaiProvider from "./openai/OpenaiProvider.ts"
import { ProviderFiles } from "./ProviderFiles.ts"
import { ProviderHttp } from "./ProviderHttp.ts"
import type { Provider } from "./Provider.ts"
import * as PullProvider from "./pull/PullProvider.ts"
import * as ReplicateProvider from "./replicate/ReplicateProvider.ts"
import * as RunpodProvider from "./runpod/RunpodProvider.ts"

export class Providers extends Context.Service<
  Providers,
  {
    /** By the `adapter` of a binding; `null` if this server has no such provider. */
    find(adapter: Adapter): Provider | null
    readonly all: ReadonlyArray<Provider>
  }
>()("inferlog/src/features/providers/Providers") {
  /** Dies if two providers have the same adapter. */
  static readonly layerOf = (providers: ReadonlyArray<Provider>) =>
    Layer.sync(Providers, () => {
      const byAdapter = new Map(providers.map((provider) => [provider.adapter, provider]))
      if (byAdapter.size !== providers.length) throw new Error("expected one provider of each adapter")
      return Providers.of({ find: (adapter) => byAdapter.get(adapter) ?? null, all: providers })
    })

  static readonly layerNoDeps = Layer.unwrap(
    Effect.map(
      Effect.all([
        BuiltinProvider,
        ProviderHttp,
        CogProvider.make,
        FalProvider.make,
        HttpProvider.make,
        KserveProvider.make,
        OpenaiProvider.make,
        PullProvider.make,
        ReplicateProvider.make,
        RunpodProvider.make
      ]),
      ([builtin, http, ...others]) =>
        this.layerOf([builtin, ...others.map((provider) => discreet(provider, http))])
    )
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([BuiltinProvider.layer, ProviderFiles.layer, ProviderHttp.layer])
  )
}
