/** `get_wrapper`: everything needed to run a wrapper, and how it converts its input. */
import { Effect, Schema } from "effect"
import * as Tool from "effect/ai/Tool"
import { ToolError } from "../../ToolError.ts"
import * as Arguments from "../Arguments.ts"
import * as RequestedModel from "../RequestedModel.ts"
import * as ModelDetail from "../ModelDetail.ts"
import * as ExactText from "../ExactText.ts"
import * as ModelSummary from "../ModelSummary.ts"
import * as ToolTraits from "../ToolTraits.ts"

const { description, displayName, modelEndpoint } = ModelSummary.ModelSummary.fields

export const tool = Tool.make("get_wrapper", {
  description:
    "Describes one wrapper: everything that `get_model` shows of a model (price, times, input fields, an example), and its base model, the template that makes the base model's input, and the defaults of its placeholders. For a model call `get_model`. To change what the template fixes, run the base model instead. Next: `run_model` with the wrapper's own modelEndpoint.",
  parameters: Schema.Struct({ modelEndpoint: Arguments.modelEndpoint }),
  success: Schema.Struct({
    ...ModelDetail.fields,
    base: ModelSummary.base,
    baseModel: Schema.Struct({ modelEndpoint, displayName, description }),
    template: Schema.Record(Schema.String, Schema.Json).annotate({
      description: "Input of the base model; a field of the wrapper's input replaces each `{{name}}`."
    }),
    defaults: Schema.Record(Schema.String, Schema.Json).annotate({
      description: "Values of placeholders that the input omits."
    })
  }),
  failure: ToolError
})
  .annotate(Tool.Title, "Describe a wrapper")
  .annotateMerge(ToolTraits.reading)

const isModel = (endpoint: string) =>
  new ToolError({
    message: `\`${endpoint}\` is a model, not a wrapper: call \`get_model\` with the same modelEndpoint. \`list_wrappers\` has the wrappers.`
  })

export const make = Effect.gen(function* () {
  const find = yield* RequestedModel.make
  const detailOf = yield* ModelDetail.make
  return Effect.fnUntraced(function* ({ modelEndpoint }: Tool.Parameters<typeof tool>) {
    const listed = yield* find(modelEndpoint)
    if (listed.kind === "model") return yield* isModel(listed.model.endpoint)
    const { base, wrapper } = listed
    const { defaults, template } = wrapper
    const detail = yield* detailOf(listed)
    return {
      ...detail,
      base: wrapper.base,
      baseModel: {
        modelEndpoint: base.endpoint,
        displayName: base.displayName,
        description: ModelSummary.excerpt(base.description)
      },
      template,
      defaults,
      ...ExactText.of({ exampleInput: detail.exampleInput, template, defaults })
    }
  })
})
