/** `kind: model` (docs/reference/manifests.md). */
import { Schema } from "effect"
import { JsonSchema, type Metering, type Model, OpenaiCall, StreamKind } from "#domain/catalog/Model.ts"
import { Adapter, Expression, type ProviderBinding } from "#domain/catalog/ProviderBinding.ts"
import * as Money from "#domain/Money.ts"
import { BillingUnit } from "#domain/Pricing.ts"
import { transportErrors } from "#domain/RetrySchedule.ts"
import * as Version from "#src/features/catalog/models/Version.ts"
import * as Fields from "./Fields.ts"

const adapters = Adapter.literals.filter((adapter) => adapter !== "builtin")

/** Built-in models are code and have no manifest. */
const ManifestAdapter = Schema.Literals(adapters)

const variable = Schema.String.check(
  Schema.isPattern(/^[A-Z][A-Z0-9_]{0,127}$/, {
    expected: "the name of an environment variable, such as GPU_TOKEN"
  })
)

const providerName = Schema.String.check(
  Schema.isPattern(/^[a-z0-9][a-z0-9._:-]{0,127}$/, {
    expected: "1 to 128 lower-case letters, digits, dots, dashes, underscores and colons"
  })
)

const Binding = Schema.Struct({
  adapter: ManifestAdapter,
  name: Schema.optionalKey(providerName),
  url: Schema.optionalKey(Fields.Url),
  secretEnv: Schema.optionalKey(variable),
  concurrency: Schema.optionalKey(Fields.integer(1, 1_000_000)),
  options: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
  input: Schema.optionalKey(Expression),
  output: Schema.optionalKey(Expression)
})
type Binding = typeof Binding.Type

const Pricing = Schema.Struct({
  unit: BillingUnit,
  unitPrice: Fields.Usd,
  minimumCharge: Schema.optionalKey(Fields.Usd),
  quantity: Schema.optionalKey(Expression),
  maxQuantity: Schema.optionalKey(Expression),
  delivered: Schema.optionalKey(Expression)
})

export const ModelManifest = Schema.Struct({
  kind: Schema.Literal("model"),
  ...Fields.listed,
  /** One of the two; `provider` is a list of one. */
  providers: Schema.optionalKey(Schema.NonEmptyArray(Binding)),
  provider: Schema.optionalKey(Binding),
  pricing: Pricing,
  outputSchema: JsonSchema,
  expectedSeconds: Schema.optionalKey(Fields.seconds(0.001, 86_400)),
  timeoutSeconds: Schema.optionalKey(Fields.seconds(1, 86_400)),
  concurrency: Schema.optionalKey(Fields.integer(1, 1_000_000)),
  maxQueued: Schema.optionalKey(Fields.integer(1, 10_000_000)),
  queueTimeout: Schema.optionalKey(Fields.seconds(1, 2_592_000)),
  output: Schema.optionalKey(Schema.Struct({ stream: StreamKind })),
  serves: Schema.optionalKey(Schema.NonEmptyArray(OpenaiCall)),
  retry: Schema.optionalKey(
    Schema.Struct({
      retries: Schema.optionalKey(Fields.integer(0, 100)),
      initialDelayMs: Schema.optionalKey(Fields.integer(0, 3_600_000))
    })
  )
})
export type ModelManifest = typeof ModelManifest.Type

/** Defaults of a manifest. */
const usual = { expectedSeconds: 10, timeoutSeconds: 600, concurrency: 1 } as const

/** The bindings and their place; `null` if they are missing or given twice. */
export const bindingsOf = ({
  provider,
  providers
}: ModelManifest): readonly [Binding, ...ReadonlyArray<Binding>] | null => {
  if (provider === undefined) return providers ?? null
  return providers === undefined ? [provider] : null
}

/** `http:10.0.0.5:9000`; without an address the protocol, and for pull workers the model. */
const defaultName = ({ adapter, url }: Binding, endpoint: string): string => {
  if (adapter === "pull") return `pull:${endpoint.replace("/", ":")}`
  const host = url === undefined ? "" : new URL(url).host.toLowerCase().replace(/[^a-z0-9._:-]/g, "")
  return host === "" ? adapter : `${adapter}:${host}`.slice(0, 128)
}

const bindingOf =
  (endpoint: string) =>
  ({ name, ...binding }: Binding): ProviderBinding => ({
    ...binding,
    name: name ?? defaultName({ ...binding }, endpoint)
  })

const meteringOf = ({
  delivered,
  maxQuantity,
  quantity
}: ModelManifest["pricing"]): { readonly metering?: Metering } =>
  delivered === undefined && maxQuantity === undefined && quantity === undefined
    ? {}
    : {
        metering: {
          ...(quantity !== undefined && { quantity }),
          ...(maxQuantity !== undefined && { maxQuantity }),
          ...(delivered !== undefined && { delivered })
        }
      }

export const definitionOf = (
  manifest: ModelManifest,
  [first, ...others]: readonly [Binding, ...ReadonlyArray<Binding>]
): Model => {
  const { maxQueued, name: endpoint, output, pricing, queueTimeout, recommended, retry, serves } = manifest
  const bind = bindingOf(endpoint)
  const model: Model = {
    endpoint,
    version: "",
    displayName: manifest.displayName,
    description: manifest.description ?? "",
    category: manifest.category,
    tags: manifest.tags ?? [],
    ...(recommended !== undefined && { recommended }),
    providers: [bind(first), ...others.map(bind)],
    inputSchema: manifest.inputSchema,
    outputSchema: manifest.outputSchema,
    exampleInput: manifest.exampleInput,
    price: {
      unit: pricing.unit,
      unitPrice: Fields.nanoUsd(pricing.unitPrice),
      minimumCharge: pricing.minimumCharge === undefined ? Money.zero : Fields.nanoUsd(pricing.minimumCharge)
    },
    ...meteringOf(pricing),
    expectedSeconds: manifest.expectedSeconds ?? usual.expectedSeconds,
    timeoutSeconds: manifest.timeoutSeconds ?? usual.timeoutSeconds,
    concurrency: manifest.concurrency ?? usual.concurrency,
    ...(maxQueued !== undefined && { maxQueued }),
    ...(queueTimeout !== undefined && { queueTimeout }),
    ...(output !== undefined && { output }),
    ...(serves !== undefined && { serves }),
    ...(retry !== undefined && { retry: { ...transportErrors, ...retry } })
  }
  return { ...model, version: Version.ofModel(model) }
}
