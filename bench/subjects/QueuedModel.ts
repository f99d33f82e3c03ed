import { defineModel } from "#src/features/catalog/models/builtin/BuiltinModel.ts"
import { objectOf } from "#src/features/catalog/models/builtin/ObjectSchema.ts"
import { perRequest, sandboxDefaults } from "#src/features/catalog/models/builtin/sandbox/SandboxDefaults.ts"

/** Validated and priced like every model, but without room for a run. */
export const queued = defineModel({
  ...sandboxDefaults,
  ...perRequest,
  concurrency: 0,
  endpoint: "bench/queued",
  displayName: "Queued",
  description: "Accepts requests and never runs them.",
  tags: ["testing"],
  inputSchema: objectOf({
    description: "The picture to generate.",
    properties: {
      prompt: { type: "string", minLength: 1, maxLength: 4_000, description: "Description of the picture." },
      steps: { type: "integer", minimum: 1, maximum: 100, description: "Number of steps." },
      seed: { type: "integer", minimum: 0, description: "The same seed produces the same picture." },
      size: { enum: ["square", "portrait", "landscape"], description: "Shape of the picture." }
    },
    required: ["prompt"]
  }),
  outputSchema: objectOf({ description: "Nothing.", properties: {}, required: [] }),
  exampleInput: { prompt: "A lighthouse at dusk" }
})
