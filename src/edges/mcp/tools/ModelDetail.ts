/** Everything needed to run a model or a wrapper, with its cost and duration. */
import { Effect, Schema } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
import { BillingUnit } from "#domain/Pricing.ts"
import type { Listed } from "#src/features/catalog/CatalogContents.ts"
import { Expectations } from "#src/features/catalog/Expectations.ts"
import * as EstimateView from "#src/features/catalog/views/EstimateView.ts"
import * as ListingView from "#src/features/catalog/views/ListingView.ts"
import { memoize } from "#src/kernel/async/Memoize.ts"
import { Catalog } from "#src/features/catalog/models/Catalog.ts"
import { EvaluationFor } from "#src/features/catalog/models/expression/EvaluationFor.ts"
import * as InputFields from "#src/features/catalog/models/InputFields.ts"
import * as ExactText from "./ExactText.ts"
import * as ModelSummary from "./ModelSummary.ts"
import * as RunCost from "./RunCost.ts"

/** Characters of an example's JSON. A longer one would fill the model's context with a file. */
const longestExample = 4_000

const InputField = Schema.Struct({
  name: Schema.String,
  type: Schema.String.annotate({ description: "JSON type, such as `array of string`." }),
  required: Schema.Boolean,
  limits: Schema.optionalKey(Schema.String).annotate({ description: "Range, length or form." }),
  allowed: Schema.optionalKey(Schema.Array(Schema.Json)).annotate({ description: "The only values." }),
  default: Schema.optionalKey(Schema.Json),
  description: Schema.optionalKey(Schema.String)
})

const Estimate = Schema.Struct({
  quantity: Schema.String.annotate({ description: "Billed units, at most where `isMaximum`." }),
  unit: BillingUnit,
  ...RunCost.fields
})

const figure = (description: string) => Schema.NullOr(Schema.Finite).annotate({ description })

const Expected = Schema.Struct({
  p50Seconds: figure("Half of the recent runs took at most this long."),
  p90Seconds: figure("Nine of ten took at most this long."),
  samples: Schema.Finite.annotate({ description: "Recent runs counted." }),
  waitSeconds: figure("In the queue, for a run submitted now; null while no run can begin.")
})

/** Fields of both models and wrappers. */
export const fields = {
  kind: Schema.Literals(["model", "wrapper"]),
  ...ModelSummary.named,
  description: Schema.String,
  tags: Schema.Array(Schema.String),
  ...ModelSummary.shown,
  exampleEstimate: Schema.NullOr(Estimate).annotate({
    description: "Of a run with `exampleInput`."
  }),
  expected: Schema.NullOr(Expected).annotate({ description: "Learned from recent runs." }),
  inputFields: Schema.Array(InputField).annotate({
    description: "Of `input`, required ones first; `get_model_raw_schema` has every rule."
  }),
  exampleInput: Schema.Json.annotate({
    description: "A valid `input`; null: too long to show."
  }),
  exactTexts: ExactText.exactTexts,
  runWith: Schema.String.annotate({ description: "What to call next." })
}

const runWith = (endpoint: string, status: Listed["status"]): string =>
  [
    ...(status === "deprecated" ? ["It is deprecated: look for another one with `search` first."] : []),
    `Call \`run_model\` with modelEndpoint "${endpoint}" and an \`input\` of these fields, then \`wait_for_request\` with the requestId. Files (pictures, audio, films) are given as URLs: an https URL, or the fileUrl that \`upload_file\` returns.`
  ].join(" ")

const shortened = (example: Json): Json => (JsonText.write(example).length > longestExample ? null : example)

export const make = Effect.gen(function* () {
  const catalog = yield* Catalog
  const expectations = yield* Expectations
  const fieldsOf = memoize(InputFields.of)

  /** `null` when the definition does not compile here, or the units of its example are unknown. */
  const estimate = Effect.fnUntraced(function* (endpoint: string, input: Json) {
    const entry = yield* catalog.find(endpoint)
    if (entry === null) return null
    const quantities = yield* entry.quantities(input).pipe(
      Effect.provideService(EvaluationFor, { purpose: "estimate", owner: "tools" }),
      Effect.orElseSucceed(() => null)
    )
    if (quantities === null) return null
    const { estimatedCost, isMaximum, maximumCost, quantity, unit } = EstimateView.of(entry, quantities, null)
    return { quantity, unit, estimatedCost, isMaximum, maximumCost }
  })

  return Effect.fnUntraced(function* (listed: Listed) {
    const { shown } = ListingView.partsOf(listed)
    const record = ListingView.record(listed)
    const example = shortened(shown.exampleInput)
    return {
      ...ModelSummary.commonOf(record),
      kind: record.kind,
      description: record.description,
      tags: record.tags,
      exampleEstimate: yield* estimate(shown.endpoint, shown.exampleInput),
      expected: ListingView.expected(expectations.of(shown.endpoint)),
      inputFields: fieldsOf(shown.inputSchema),
      exampleInput: example,
      ...ExactText.of({ exampleInput: example }),
      runWith: runWith(shown.endpoint, listed.status)
    }
  })
})
