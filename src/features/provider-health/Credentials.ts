/** The credentials of providers: environment variables that bindings name. A process starts with the ones it has. */
import { Config, ConfigProvider, Context, Effect, Exit, Layer, Option, Redacted } from "effect"
import type { ProviderBinding } from "#domain/catalog/ProviderBinding.ts"

/** What a header may contain (RFC 9110 5.5), restricted to characters that every server reads alike. */
export const isHeaderValue = (text: string): boolean => /^[\x20-\x7e]+$/.test(text)

/** The value of a variable; `null` if it is not set, or not valid in a header. */
export const read = (
  environment: ConfigProvider.ConfigProvider,
  name: string
): Effect.Effect<Redacted.Redacted | null> =>
  Config.option(Config.String(name))
    .parse(environment)
    .pipe(
      Effect.orElseSucceed(Option.none<string>),
      Effect.map((value) => {
        const text = Option.getOrElse(value, () => "").trim()
        return isHeaderValue(text) ? Redacted.make(text, { label: name }) : null
      })
    )

type Named = Pick<ProviderBinding, "name" | "secretEnv">

/** Whether this process has the binding's credential, or the binding needs none. Without `layer`, it always has. */
export const HasCredential = Context.Reference<(binding: Named) => boolean>(
  "inferlog/src/features/provider-health/HasCredential",
  { defaultValue: () => () => true }
)

/** Warns once of each variable that is missing. */
export const layer = Layer.effect(
  HasCredential,
  Effect.gen(function* () {
    const environment = yield* ConfigProvider.ConfigProvider
    const context = yield* Effect.context<never>()
    const known = new Map<string, boolean>()

    const look = (variable: string, provider: string): boolean => {
      const found = Effect.runSyncExit(read(environment, variable))
      const has = Exit.isSuccess(found) && found.value !== null
      const line = Effect.logWarning(
        `The environment variable ${variable} is not set, or holds no credential: requests for its providers wait`
      )
      if (!has) Effect.runSyncWith(context)(Effect.annotateLogs(line, { provider }))
      known.set(variable, has)
      return has
    }

    return ({ name, secretEnv }: Named) =>
      secretEnv === undefined || (known.get(secretEnv) ?? look(secretEnv, name))
  })
)
