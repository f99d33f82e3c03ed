import { Schema } from "effect"
import { defineModel } from "../BuiltinModel.ts"
import { perRequest, sandboxDefaults } from "./SandboxDefaults.ts"
import { objectOf } from "../ObjectSchema.ts"

export const FlakyInput = Schema.Struct({ failures: Schema.Number })

export const flaky = defineModel({
  ...sandboxDefaults,
  ...perRequest,
  endpoint: "sandbox/flaky",
  displayName: "Flaky",
  description:
    "Fails with a transport error as often as the input says, then succeeds. When no retry is left, the request ends as FAILED, not billed.",
  tags: ["sandbox", "testing", "failure", "retry"],
  inputSchema: objectOf({
    description: "How often to fail.",
    properties: {
      failures: {
        type: "integer",
        minimum: 0,
        maximum: 10,
        description: "Runs that end in a transport error before one succeeds."
      }
    },
    required: ["failures"]
  }),
  outputSchema: objectOf({
    description: "How it went.",
    properties: {
      attempts: { type: "integer", minimum: 1, description: "Runs it took, the one that succeeded included." }
    },
    required: ["attempts"]
  }),
  exampleInput: { failures: 1 }
})
