/** What binds a model to one of the providers that can run it. Secrets are named, never held. */
import { Schema } from "effect"

/** The protocol that a provider speaks: `src/features/providers` has one of each. */
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
  /** Bindings of one name are one provider, whatever models they bind: one limit, one circuit breaker, one row of metrics. */
  name: Schema.String.check(Schema.isPattern(name)),
  adapter: Adapter,
  /** Where it is: http or https. The operator's own word, so private addresses are fine. */
  url: Schema.optionalKey(Schema.String),
  /** The environment variable that holds the credential that it asks for. */
  secretEnv: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^[A-Z][A-Z0-9_]{0,127}$/))),
  /** What its adapter wants to know beside (`src/features/providers/BindingOptions`). */
  options: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
  /** Runs at once at the provider over all its models and all nodes; where its bindings differ the least counts. */
  concurrency: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 }))),
  /** From the model's input to what the adapter sends; as it is when not given. */
  input: Schema.optionalKey(Expression),
  /** From what the adapter got to the model's output; as it is when not given. */
  output: Schema.optionalKey(Expression)
})
export type ProviderBinding = typeof ProviderBinding.Type
