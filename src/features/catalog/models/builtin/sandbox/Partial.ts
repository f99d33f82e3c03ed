import { Schema } from "effect"
import * as Money from "#domain/Money.ts"
import { defineModel, exactly } from "../BuiltinModel.ts"
import { sandboxDefaults } from "./SandboxDefaults.ts"
import { objectOf } from "../ObjectSchema.ts"

export const PartialInput = Schema.Struct({ count: Schema.Number, deliver: Schema.Number })

export const partial = defineModel({
  ...sandboxDefaults,
  endpoint: "sandbox/partial",
  displayName: "Partial",
  description:
    "Delivers fewer items than requested and charges for those; a run that delivers none has failed.",
  tags: ["sandbox", "testing", "billing"],
  inputSchema: objectOf({
    description: "How many items to ask for, and how many to get.",
    properties: {
      count: { type: "integer", minimum: 1, maximum: 10, description: "Items requested." },
      deliver: {
        type: "integer",
        minimum: 0,
        maximum: 10,
        description: "Items delivered, at most as many as requested."
      }
    },
    required: ["count", "deliver"]
  }),
  outputSchema: objectOf({
    description: "What was delivered.",
    properties: {
      items: {
        type: "array",
        minItems: 1,
        maxItems: 10,
        description: "The items delivered.",
        items: {
          type: "object",
          additionalProperties: false,
          description: "One item.",
          properties: {
            index: { type: "integer", minimum: 0, maximum: 9, description: "Its place in the list, from 0." }
          },
          required: ["index"]
        }
      }
    },
    required: ["items"]
  }),
  exampleInput: { count: 4, deliver: 3 },
  price: { unit: "image", unitPrice: Money.NanoUsd.make(2_000_000n), minimumCharge: Money.zero },
  input: PartialInput,
  quantities: ({ count }) => exactly(Money.units(count))
})
