/** Models that fail, one for each way to fail (decisions, "Failure views"). */
import { defineModel } from "../BuiltinModel.ts"
import { perRequest, sandboxDefaults } from "./SandboxDefaults.ts"
import { objectOf } from "../ObjectSchema.ts"
import { delayMs, message } from "./SandboxSchemas.ts"

const defaults = { ...sandboxDefaults, ...perRequest, tags: ["sandbox", "testing", "failure"] }

const inputSchema = objectOf({
  description: "How the run fails.",
  properties: { message, delayMs },
  required: []
})

const noOutput = objectOf({ description: "There is never an output.", properties: {}, required: [] })

export const fail = defineModel({
  ...defaults,
  endpoint: "sandbox/fail",
  displayName: "Fail",
  description: "The provider refuses to run it, without a retry: the request ends as FAILED, not billed.",
  inputSchema,
  outputSchema: noOutput,
  exampleInput: { message: "Out of order" }
})

export const providerFail = defineModel({
  ...defaults,
  endpoint: "sandbox/provider-fail",
  displayName: "Provider fail",
  description:
    "The provider runs it and reports the run as failed: the request is COMPLETED without an output, not billed.",
  inputSchema,
  outputSchema: noOutput,
  exampleInput: { message: "Out of memory" }
})

export const invalidOutput = defineModel({
  ...defaults,
  endpoint: "sandbox/invalid-output",
  displayName: "Invalid output",
  description:
    "Returns an output that breaks its own schema in exactly two places: the result answers 422 and names both, not billed.",
  inputSchema: objectOf({
    description: "How long to take.",
    properties: { delayMs },
    required: []
  }),
  outputSchema: objectOf({
    description: "What the model promises and does not keep.",
    properties: {
      label: { type: "string", description: "A text; the run returns a number." },
      score: { type: "number", minimum: 0, maximum: 1, description: "At most 1; the run returns more." }
    },
    required: ["label", "score"]
  }),
  exampleInput: {}
})
