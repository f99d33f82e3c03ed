/** All that has to be known of a model or a wrapper to run it, and what that costs and takes. */
import { Effect, Schema } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import type { Listed } from "#src/catalog/CatalogContents.ts"
import { Expectations } from "#src/catalog/Expectations.ts"
import * as EstimateView from "#src/http/views/EstimateView.ts"
import * as ListingView from "#src/http/views/ListingView.ts"
import { Catalog } from "#src/models/Catalog.ts"
import * as InputFields from "#src/models/InputFields.ts"
import * as ModelSummary from "./ModelSummary.ts"

/** Characters of JSON of an example: a longer one would fill the reader's context with a file. */
const longestExample = 4_000

const InputField = Schema.Struct({
  name: Schema.String.annotate({ description: "Name of the field in `input`." }),
  type: Schema.String.annotate({ description: "JSON type, such as `integer` or `array of string`." }),
  required: Schema.Boolean.annotate({ description: "Whether a run needs it." }),
  limits: Schema.optionalKey(Schema.String).annotate({ description: "Range, length or form." }),
  allowed: Schema.optionalKey(Schema.Array(Schema.Json)).annotate({ description: "The only values." }),
  default: Schema.optionalKey(Schema.Json).annotate({ description: "What counts when it is left out." }),
  description: Schema.optionalKey(Schema.String).annotate({ description: "What it is for." })
})

const Estimate = Schema.Struct({
  quantity: Schema.String.annotate({ description: "Billed units, as a decimal." }),
  unit: ModelSummary.Pricing.fields.unit,
  estimatedCost: Schema.String.annotate({ description: "In USD, as a decimal." }),
  isMaximum: Schema.Boolean.annotate({
    description:
      "Only the run can tell the units: `quantity` and `estimatedCost` are the most it can come to."
  }),
  maximumCost: Schema.String.annotate({
    description: "In USD: reserved of the balance while it runs, and never exceeded."
  })
})

const figure = (description: string) => Schema.NullOr(Schema.Finite).annotate({ description })

const Expected = Schema.Struct({
  p50Seconds: figure("Half of the recent runs took no longer, in seconds; null: too few runs."),
  p90Seconds: figure("Nine of ten recent runs took no longer, in seconds; null: too few runs."),
  samples: Schema.Finite.annotate({ description: "Recent runs that these are learned from." }),
  waitSeconds: Schema.Finite.annotate({ description: "Seconds that a run started now waits in the queue." })
})

/** The same of models and of wrappers. */
export const fields = {
  kind: Schema.Literals(["model", "wrapper"]).annotate({
    description: "A wrapper is a prompt-templated product on a base model. Both run with `run_model`."
  }),
  ...ModelSummary.named,
  description: Schema.String.annotate({ description: "What it does, in full." }),
  tags: Schema.Array(Schema.String).annotate({ description: "Words that it is found by." }),
  ...ModelSummary.shown,
  exampleEstimate: Schema.NullOr(Estimate).annotate({
    description: "What a run with `exampleInput` costs; null: it cannot be told."
  }),
  expected: Schema.NullOr(Expected).annotate({
    description: "Learned from recent runs; null while there are too few and nothing waits."
  }),
  inputFields: Schema.Array(InputField).annotate({
    description:
      "Fields of the `input` of `run_model`, required ones first. A summary: `get_model_raw_schema` has nested objects and every rule."
  }),
  exampleInput: Schema.Json.annotate({
    description: "A valid `input` that can be run as it is; null: it is too long to be shown."
  }),
  runWith: Schema.String.annotate({ description: "What to call next." })
}

const runWith = (endpoint: string, status: Listed["status"]): string =>
  [
    ...(status === "deprecated" ? ["It is deprecated: look for another one with `search` first."] : []),
    `Call \`run_model\` with modelEndpoint "${endpoint}" and an \`input\` of these fields, then \`wait_for_request\` with the requestId. Files (pictures, audio, films) are given as URLs: an https URL, or the fileUrl that \`upload_file\` returns.`
  ].join(" ")

const shortened = (example: Json): Json => (JSON.stringify(example).length > longestExample ? null : example)

export const make = Effect.gen(function* () {
  const catalog = yield* Catalog
  const expectations = yield* Expectations

  /** `null` where the definition does not compile here, or the units of its example cannot be told. */
  const estimate = Effect.fnUntraced(function* (endpoint: string, input: Json) {
    const entry = yield* catalog.find(endpoint)
    if (entry === null) return null
    const quantities = yield* Effect.orElseSucceed(entry.quantities(input), () => null)
    if (quantities === null) return null
    const { estimatedCost, isMaximum, maximumCost, quantity, unit } = EstimateView.of(entry, quantities, null)
    return { quantity, unit, estimatedCost, isMaximum, maximumCost }
  })

  return Effect.fnUntraced(function* (listed: Listed) {
    const { shown } = ListingView.partsOf(listed)
    const record = ListingView.record(listed)
    return {
      kind: record.kind,
      modelEndpoint: record.modelEndpoint,
      displayName: record.displayName,
      description: record.description,
      tags: record.tags,
      category: record.category,
      status: record.status,
      recommended: record.recommended,
      pricing: record.pricing,
      expectedSeconds: record.expectedSeconds,
      exampleEstimate: yield* estimate(shown.endpoint, shown.exampleInput),
      expected: ListingView.expected(expectations.of(shown.endpoint)),
      inputFields: InputFields.of(shown.inputSchema),
      exampleInput: shortened(shown.exampleInput),
      runWith: runWith(shown.endpoint, listed.status)
    }
  })
})
