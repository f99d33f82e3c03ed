/** `get_model_raw_schema`: the JSON Schema that checks the input of a model. */
import { Effect, Schema } from "effect"
import * as Tool from "effect/ai/Tool"
import { shownOf } from "#src/features/catalog/CatalogLists.ts"
import { ToolError } from "../../ToolError.ts"
import * as Arguments from "../Arguments.ts"
import * as RequestedModel from "../RequestedModel.ts"
import * as ModelSummary from "../ModelSummary.ts"
import * as ToolTraits from "../ToolTraits.ts"

export const tool = Tool.make("get_model_raw_schema", {
  description:
    "The raw JSON Schema (2020-12) of a model's or a wrapper's input, with every rule that `run_model` checks. Use it when the field list of `get_model` is not enough: nested objects, alternatives, patterns. For a first look call `get_model`, which is shorter and has the price. Fields that take a file (a picture, audio, a film) take its URL: an https URL, or the fileUrl that `upload_file` returns.",
  parameters: Schema.Struct({ modelEndpoint: Arguments.modelEndpoint }),
  success: Schema.Struct({
    modelEndpoint: ModelSummary.named.modelEndpoint,
    inputSchema: Schema.Record(Schema.String, Schema.Json).annotate({
      description: "JSON Schema (2020-12). Files in it are given as URLs."
    })
  }),
  failure: ToolError
})
  .annotate(Tool.Title, "Get a model's input schema")
  .annotateMerge(ToolTraits.reading)

export const make = Effect.gen(function* () {
  const find = yield* RequestedModel.make
  return Effect.fnUntraced(function* ({ modelEndpoint }: Tool.Parameters<typeof tool>) {
    const { endpoint, inputSchema } = shownOf(yield* find(modelEndpoint))
    return { modelEndpoint: endpoint, inputSchema }
  })
})
