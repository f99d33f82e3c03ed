/** Probes of unreachable providers that requests wait for: one at a time for each provider. */
import { Effect } from "effect"
import type { ProviderBinding } from "#domain/catalog/ProviderBinding.ts"
import type { CatalogEntry } from "#src/features/catalog/models/Catalog.ts"
import { ProviderHealth } from "#src/features/provider-health/ProviderHealth.ts"
import { Providers } from "#src/features/providers/Providers.ts"

/** `wake` is called when a provider is reachable again. */
export const make = (wake: () => void) =>
  Effect.gen(function* () {
    const health = yield* ProviderHealth
    const providers = yield* Providers
    const scope = yield* Effect.scope

    const probe = (binding: ProviderBinding) => {
      const reach = providers.find(binding.adapter)?.reach
      // A provider that cannot be probed is tried with runs.
      const reached = reach === undefined ? Effect.succeed(null) : reach(binding)
      return reached.pipe(
        Effect.onExit((exit) =>
          Effect.sync(() => {
            const fault = exit._tag === "Success" ? exit.value : undefined
            if (health.probed(binding, fault)) wake()
          })
        ),
        Effect.ignoreCause,
        Effect.forkIn(scope)
      )
    }

    /** Called with the models that have due requests. */
    return (entries: ReadonlyArray<CatalogEntry | null>) =>
      Effect.forEach(
        entries.flatMap((entry) => entry?.model.providers ?? []),
        (binding) => (health.beginProbe(binding) ? probe(binding) : Effect.void),
        { discard: true }
      )
  })
