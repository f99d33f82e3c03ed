import { defineModel } from "#src/features/catalog/models/builtin/BuiltinModel.ts"
import { objectOf } from "#src/features/catalog/models/builtin/ObjectSchema.ts"
import { perRequest, sandboxDefaults } from "#src/features/catalog/models/builtin/sandbox/SandboxDefaults.ts"

/** Validated and priced like every model; it has no room for a run. */
export const queued = defineModel({
  ...sandboxDefaults,
  ...perRequest,
  concurrency: 0,
  endpoint: "bench/queued",
  displayName: "Queued",
  description: "Accepts requests and never runs them.",
  tags: ["testing"],
  inputSchema: objectOf({
    description: "A picture to make.",
    properties: {
      prompt: { type: "string", minLength: 1, maxLength: 4_000, description: "What is to be seen." },
      steps: { type: "integer", minimum: 1, maximum: 100, description: "How long to work on it." },
      seed: { type: "integer", minimum: 0, description: "The same seed gives the same picture." },
      size: { enum: ["square", "portrait", "landscape"], description: "Its shape." }
    },
    required: ["prompt"]
  }),
  outputSchema: objectOf({ description: "Nothing.", properties: {}, required: [] }),
  exampleInput: { prompt: "A lighthouse at dusk" }
})
