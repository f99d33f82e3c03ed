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
  outputSchema: {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    description: "A chat completion.",
    properties: {
      object: { const: "chat.completion", description: "Always the same." },
      choices: {
        type: "array",
        minItems: 1,
        maxItems: 1,
        description: "One choice.",
        items: {
          type: "object",
          description: "The only choice.",
          properties: {
            index: { const: 0, description: "Its place." },
            message: {
              type: "object",
              description: "What was said.",
              properties: {
                role: { const: "assistant", description: "Who says it." },
                content: { type: "string", description: "The text." }
              },
              required: ["role", "content"]
            },
            logprobs: { type: "null", description: "Always `null`." },
            finish_reason: {
              enum: ["stop", null],
              description: "`null` if a cancel came before the end of the text."
            }
          },
          required: ["index", "message", "finish_reason"]
        }
      },
      usage: {
        type: "object",
        description: "Words, in the place of tokens.",
        properties: {
          prompt_tokens: { type: "integer", description: "Of all messages." },
          completion_tokens: { type: "integer", description: "Of what was said." },
          total_tokens: { type: "integer", description: "Of both." }
        },
        required: ["prompt_tokens", "completion_tokens", "total_tokens"]
      }
    },
    required: ["object", "choices", "usage"]
  },
  output: { stream: "openai" },
  serves: ["chat"],
  exampleInput: { messages: [{ role: "user", content: "Say this is a test" }] }
})
