/** `get_model`: everything needed to run a model. */
import { Effect, Schema } from "effect"
import * as Tool from "effect/ai/Tool"
import { ToolError } from "../../ToolError.ts"
import * as Arguments from "../Arguments.ts"
import * as RequestedModel from "../RequestedModel.ts"
import * as ModelDetail from "../ModelDetail.ts"
import * as ToolTraits from "../ToolTraits.ts"

export const tool = Tool.make("get_model", {
  description:
    "Describes one model compactly: what it does, its price and what the example costs, how long runs take, the fields of its input with their ranges and defaults, and an example input that runs as it is. Call it before the first `run_model` of a model. It takes wrappers, too; `get_wrapper` shows their template as well. When the field list is not enough, as with nested objects, call `get_model_raw_schema`.",
  parameters: Schema.Struct({ modelEndpoint: Arguments.modelEndpoint }),
  success: Schema.Struct(ModelDetail.fields),
  failure: ToolError
})
  .annotate(Tool.Title, "Describe a model")
  .annotateMerge(ToolTraits.reading)

export const make = Effect.gen(function* () {
  const find = yield* RequestedModel.make
  const detailOf = yield* ModelDetail.make
  return Effect.fnUntraced(function* ({ modelEndpoint }: Tool.Parameters<typeof tool>) {
    return yield* detailOf(yield* find(modelEndpoint))
  })
})
