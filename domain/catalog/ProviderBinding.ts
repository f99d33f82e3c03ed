/** Connects a model to a provider that can run it. It names secrets and never contains them. */
import { Schema } from "effect"

/** The protocol of a provider. `src/features/providers` has an adapter for each. */
export const Adapter = Schema.Literals([
  "builtin",
  "http",
  "cog",
  "openai",
  "kserve",
  "replicate",
  "fal",
  "runpod",
  "pull"
])
export type Adapter = typeof Adapter.Type

/** The text of a JSONata expression. */
export const Expression = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(10_000))

const name = /^[a-z0-9][a-z0-9._:-]{0,127}$/

export const ProviderBinding = Schema.Struct({
  /**
   * Bindings with the same name are one provider, also across models: they share a limit, a circuit breaker and a row of
   * metrics.
   */
  name: Schema.String.check(Schema.isPattern(name)),
  adapter: Adapter,
  /** http or https. The operator sets it, so private addresses are allowed. */
  url: Schema.optionalKey(Schema.String),
  /** The environment variable with the provider's credential. */
  secretEnv: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^[A-Z][A-Z0-9_]{0,127}$/))),
  /** Further options of the adapter (`src/features/providers/BindingOptions`). */
  options: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
  /** The most runs at once at the provider, over all its models and all nodes. The lowest value of its bindings applies. */
  concurrency: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 }))),
  /** Converts the model's input to what the adapter sends. Absent: unchanged. */
  input: Schema.optionalKey(Expression),
  /** Converts what the adapter received to the model's output. Absent: unchanged. */
  output: Schema.optionalKey(Expression)
})
export type ProviderBinding = typeof ProviderBinding.Type
