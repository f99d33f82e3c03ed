/** `get_model`: everything needed to run a model; `get_model_raw_schema`: the JSON Schema that checks its input. */
import { Effect, Schema } from "effect"
import * as Tool from "effect/ai/Tool"
import { shownOf } from "#src/features/catalog/CatalogLists.ts"
import { ToolError } from "../../ToolError.ts"
import * as Arguments from "../Arguments.ts"
import * as RequestedModel from "../RequestedModel.ts"
import * as ModelDetail from "../ModelDetail.ts"
import * as ExactText from "../ExactText.ts"
import * as ModelSummary from "../ModelSummary.ts"
import * as ToolTraits from "../ToolTraits.ts"

const parameters = Schema.Struct({ modelEndpoint: Arguments.modelEndpoint })

export const tool = Tool.make("get_model", {
  description:
    "Describes one model compactly: what it does, its price and what the example costs, how long runs take, the fields of its input with their ranges and defaults, and an example input that runs as it is. Call it before the first `run_model` of a model. It takes wrappers, too; `get_wrapper` shows their template as well. When the field list is not enough, as with nested objects, call `get_model_raw_schema`.",
  parameters,
  success: Schema.Struct(ModelDetail.fields),
  failure: ToolError
})
  .annotate(Tool.Title, "Describe a model")
  .annotateMerge(ToolTraits.reading)

export const make = Effect.gen(function* () {
  const find = yield* RequestedModel.make
  const detailOf = yield* ModelDetail.make
  return Effect.fnUntraced(function* ({ modelEndpoint }: typeof parameters.Type) {
    return yield* detailOf(yield* find(modelEndpoint))
  })
})

export const rawSchema = Tool.make("get_model_raw_schema", {
  description:
    "The raw JSON Schema (2020-12) of a model's or a wrapper's input, with every rule that `run_model` checks. Use it when the field list of `get_model` is not enough: nested objects, alternatives, patterns. For a first look call `get_model`, which is shorter and has the price. Fields that take a file (a picture, audio, a film) take its URL: an https URL, or the fileUrl that `upload_file` returns.",
  parameters,
  success: Schema.Struct({
    modelEndpoint: ModelSummary.named.modelEndpoint,
    inputSchema: Schema.Record(Schema.String, Schema.Json).annotate({
      description: "JSON Schema (2020-12). Files are URLs."
    }),
    exactTexts: ExactText.exactTexts
  }),
  failure: ToolError
})
  .annotate(Tool.Title, "Get a model's input schema")
  .annotateMerge(ToolTraits.reading)

export const makeRawSchema = Effect.gen(function* () {
  const find = yield* RequestedModel.make
  return Effect.fnUntraced(function* ({ modelEndpoint }: typeof parameters.Type) {
    const { endpoint, inputSchema } = shownOf(yield* find(modelEndpoint))
    return { modelEndpoint: endpoint, inputSchema, ...ExactText.of({ inputSchema }) }
  })
})
