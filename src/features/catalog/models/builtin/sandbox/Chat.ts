import { Schema } from "effect"
import { defineModel } from "../BuiltinModel.ts"
import { perRequest, sandboxDefaults } from "./SandboxDefaults.ts"

const Part = Schema.Struct({ text: Schema.optionalKey(Schema.String) })

export const ChatInput = Schema.Struct({
  messages: Schema.Array(
    Schema.Struct({
      role: Schema.String,
      content: Schema.optionalKey(Schema.NullOr(Schema.Union([Schema.String, Schema.Array(Part)])))
    })
  )
})

const mostMessages = 1_000

export const chat = defineModel({
  ...sandboxDefaults,
  ...perRequest,
  endpoint: "sandbox/chat",
  displayName: "Chat",
  description:
    "Says the last message of a chat again, word by word. For trying OpenAI's clients, at /v1, without a model of your own.",
  tags: ["sandbox", "testing", "streaming"],
  inputSchema: {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    description: "The body of a chat completion. Members other than the messages are ignored.",
    properties: {
      messages: {
        type: "array",
        minItems: 1,
        maxItems: mostMessages,
        description: "The last one is said again.",
        items: {
          type: "object",
          description: "A message. Members other than these are ignored.",
          properties: {
            role: { type: "string", description: "Who says it." },
            content: {
              anyOf: [
                { type: "string" },
                { type: "null" },
                {
                  type: "array",
                  description: "Its parts.",
                  items: {
                    type: "object",
                    description: "A part: a text, or something else, which is ignored.",
                    properties: { text: { type: "string", description: "The text." } }
                  }
                }
              ],
              description: "A text, or parts of which the texts count."
            }
          },
          required: ["role"]
        }
      }
    },
    required: ["messages"]
  },
  outputSchema: { type: "string", description: "What was said." },
  output: { stream: "text" },
  serves: ["chat"],
  exampleInput: { messages: [{ role: "user", content: "Say this is a test" }] }
})
