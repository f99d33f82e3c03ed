import { defineModel } from "../BuiltinModel.ts"
import { perRequest, sandboxDefaults } from "./SandboxDefaults.ts"
import { objectOf } from "../ObjectSchema.ts"
import { delayMs } from "./SandboxSchemas.ts"

export const echo = defineModel({
  ...sandboxDefaults,
  ...perRequest,
  endpoint: "sandbox/echo",
  displayName: "Echo",
  description:
    "Returns the value it is given, at once or after a delay. For a first request and for end-to-end tests.",
  tags: ["sandbox", "testing"],
  recommended: 1,
  inputSchema: objectOf({
    description: "A value to return, and how long to take for it.",
    properties: { value: { description: "Any JSON value; it is returned unchanged." }, delayMs },
    required: ["value"]
  }),
  outputSchema: objectOf({
    description: "The value of the input.",
    properties: { value: { description: "The JSON value that was sent." } },
    required: ["value"]
  }),
  exampleInput: { value: "Hello" }
})
