/** Models and wrappers in the catalog (decisions, "Platform routes"). */
import { Schema } from "effect"
import { Category, type Model, StreamKind } from "#domain/catalog/Model.ts"
import type { Wrapper } from "#domain/catalog/Wrapper.ts"
import type { Listed } from "../CatalogContents.ts"
import type { Expectation } from "../Expectations.ts"
import * as DateTime from "#src/platform/views/DateTime.ts"
import * as ListView from "#src/platform/views/ListView.ts"
import * as PriceView from "./PriceView.ts"

export const statuses = ["active", "deprecated"] as const

const seconds = (description: string) => Schema.Finite.annotate({ description })

export const Expected = Schema.NullOr(
  Schema.Struct({
    p50Seconds: Schema.NullOr(Schema.Finite).annotate({
      description: "Median of recent runs, from start to end; null without enough runs."
    }),
    p90Seconds: Schema.NullOr(Schema.Finite).annotate({
      description: "90th percentile of recent runs; null without enough runs."
    }),
    samples: Schema.Int.annotate({
      description: "Recent runs behind these figures; 0 without enough."
    }),
    waitSeconds: Schema.NullOr(Schema.Finite).annotate({
      description:
        "The likely wait of a request submitted now; null while no run can begin: the provider cannot be reached, or no worker asks for jobs of the model."
    })
  }).annotate({ identifier: "Expected" })
).annotate({ description: "Learned from recent runs; null without enough runs and without a queue." })

const usualSeconds = seconds("How long a run usually takes, according to the publisher of the model.")

const fields = {
  modelEndpoint: Schema.String.annotate({ description: "`owner/name`, the address for requests." }),
  owner: Schema.String,
  name: Schema.String,
  displayName: Schema.String,
  description: Schema.String,
  category: Category,
  tags: Schema.Array(Schema.String),
  status: Schema.Literals(statuses).annotate({
    description: "A deprecated one still runs, but should not be used any more."
  }),
  recommended: Schema.NullOr(Schema.Int).annotate({
    description: "Its place in the curated list of its category, from 1; null: not in it."
  }),
  pricing: PriceView.Pricing,
  expectedSeconds: usualSeconds,
  stream: Schema.NullOr(StreamKind).annotate({
    description:
      "How the chunks of its output stream add up: joined (`text`), listed (`items`), the last one (`last`), or as chunks of OpenAI's API (`openai`). null: the output comes whole."
  }),
  exampleInput: Schema.Json.annotate({ description: "A valid input." }),
  updatedAt: DateTime.DateTime
}

const exampleFields = {
  displayName: "Echo",
  description: "Gives back what it is given.",
  category: "utility",
  tags: ["sandbox", "testing"],
  status: "active",
  recommended: 1,
  pricing: { unit: "request", unitPrice: "0.001", currency: "USD", minimumCharge: "0" },
  expectedSeconds: 1,
  stream: null,
  exampleInput: { value: "hello" },
  updatedAt: "2026-01-05T12:00:00.000Z"
} as const

const named = { modelEndpoint: "sandbox/echo", owner: "sandbox", name: "echo" }

const expectedExample = { p50Seconds: 0.8, p90Seconds: 2.1, samples: 240, waitSeconds: 0 }

export const modelExample = {
  ...named,
  ...exampleFields,
  kind: "model",
  expected: expectedExample
} as const

const wrapperExample = {
  ...exampleFields,
  modelEndpoint: "sandbox/greeting",
  owner: "sandbox",
  name: "greeting",
  displayName: "Greeting",
  exampleInput: { name: "Ada" },
  recommended: null,
  kind: "wrapper",
  base: "sandbox/echo",
  template: { value: "Hello, {{name}}!" },
  defaults: { name: "world" },
  expected: null
} as const

export const ModelBody = Schema.Struct({
  ...fields,
  kind: Schema.Literal("model"),
  expected: Expected
}).annotate({ identifier: "Model", description: "A model.", examples: [modelExample] })

export const WrapperBody = Schema.Struct({
  ...fields,
  kind: Schema.Literal("wrapper"),
  base: Schema.String.annotate({ description: "The model that runs." }),
  template: Schema.Record(Schema.String, Schema.Json).annotate({
    description: "The input of `base`, with `{{name}}` where the input goes in."
  }),
  defaults: Schema.Record(Schema.String, Schema.Json).annotate({
    description: "Values of placeholders that the input omits."
  }),
  expected: Expected
}).annotate({
  identifier: "Wrapper",
  description: "A product on a model: it runs like a model, with a simpler input.",
  examples: [wrapperExample]
})

export const ListedBody = Schema.Union([ModelBody, WrapperBody]).annotate({
  description: "A model or a wrapper, see `kind`."
})

export const ModelsBody = ListView.bodyOf(ModelBody).annotate({
  identifier: "Models",
  description: "A page of the models.",
  examples: [{ page: 1, limit: 20, total: 1, totalPages: 1, data: [modelExample], next: null }]
})

export const WrappersBody = ListView.bodyOf(WrapperBody).annotate({
  identifier: "Wrappers",
  description: "A page of the wrappers.",
  examples: [{ page: 1, limit: 20, total: 1, totalPages: 1, data: [wrapperExample], next: null }]
})

export const SchemaBody = Schema.Struct({
  input: Schema.Record(Schema.String, Schema.Json),
  output: Schema.Record(Schema.String, Schema.Json)
}).annotate({
  identifier: "ModelSchema",
  description: "JSON Schema 2020-12 of the input, and of the result's `output`.",
  examples: [
    {
      input: { type: "object", properties: { value: {} }, required: ["value"] },
      output: { type: "object", properties: { value: {} }, required: ["value"] }
    }
  ]
})

type Shown = Pick<
  Model | Wrapper,
  "endpoint" | "displayName" | "description" | "category" | "tags" | "recommended" | "exampleInput"
>

/** The shown fields, and the model that runs. */
export const partsOf = (listed: Listed): { readonly shown: Model | Wrapper; readonly runs: Model } =>
  listed.kind === "model"
    ? { shown: listed.model, runs: listed.model }
    : { shown: listed.wrapper, runs: listed.base }

const recordOf = (shown: Shown, runs: Model, { status, updatedAt }: Listed) => {
  const [owner = "", name = ""] = shown.endpoint.split("/")
  return {
    modelEndpoint: shown.endpoint,
    owner,
    name,
    displayName: shown.displayName,
    description: shown.description,
    category: shown.category,
    tags: shown.tags,
    status,
    recommended: shown.recommended ?? null,
    pricing: PriceView.pricing(runs.price),
    expectedSeconds: runs.expectedSeconds,
    stream: runs.output?.stream ?? null,
    exampleInput: shown.exampleInput,
    updatedAt: DateTime.format(updatedAt)
  }
}

/** All but `expected`, which changes without a publication. */
export const record = (listed: Listed) => {
  if (listed.kind === "model") {
    return { ...recordOf(listed.model, listed.model, listed), kind: listed.kind }
  }
  const { base, template, defaults } = listed.wrapper
  return { ...recordOf(listed.wrapper, listed.base, listed), kind: listed.kind, base, template, defaults }
}

export const expected = (expectation: Expectation | null): typeof Expected.Type => expectation

export const schemas = (listed: Listed): typeof SchemaBody.Type => {
  const { runs, shown } = partsOf(listed)
  return { input: shown.inputSchema, output: runs.outputSchema }
}
