import { Schema } from "effect"
import { defineModel } from "../BuiltinModel.ts"
import { perRequest, sandboxDefaults } from "./SandboxDefaults.ts"
import { objectOf } from "../ObjectSchema.ts"

export const StreamInput = Schema.Struct({
  text: Schema.optionalKey(Schema.String),
  count: Schema.optionalKey(Schema.Number),
  delayMs: Schema.optionalKey(Schema.Number)
})

/** For an input without one. */
export const usualText = "The quick brown fox jumps over the lazy dog. "

/** Together they stay below the time limit. */
const mostChunks = 1_000
const longestDelayMs = 600

export const stream = defineModel({
  ...sandboxDefaults,
  ...perRequest,
  endpoint: "sandbox/stream",
  displayName: "Stream",
  description:
    "Says a text word by word, at the given pace. For reading output as it is made, and for cancelling in the middle.",
  tags: ["sandbox", "testing", "streaming"],
  inputSchema: objectOf({
    description: "What to say, and how fast.",
    properties: {
      text: {
        type: "string",
        minLength: 1,
        maxLength: 10_000,
        default: usualText,
        description: "What to say. Each word with the spaces after it is a chunk."
      },
      count: {
        type: "integer",
        minimum: 1,
        maximum: mostChunks,
        description: "How many words to say. A shorter text begins again. By default the text is said once."
      },
      delayMs: {
        type: "integer",
        minimum: 0,
        maximum: longestDelayMs,
        default: 0,
        description: "How long each word takes, in milliseconds."
      }
    },
    required: []
  }),
  outputSchema: { type: "string", description: "What was said." },
  output: { stream: "text" },
  exampleInput: { text: "Once upon a time", delayMs: 100 }
})
