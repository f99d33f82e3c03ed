import { Schema } from "effect"
import * as Money from "#domain/Money.ts"
import { defineModel, exactly } from "../BuiltinModel.ts"
import { sandboxDefaults, slackSeconds } from "./SandboxDefaults.ts"
import { objectOf } from "../ObjectSchema.ts"

export const SlowInput = Schema.Struct({ seconds: Schema.Number })

const longestSeconds = 3_600

export const slow = defineModel({
  ...sandboxDefaults,
  endpoint: "sandbox/slow",
  displayName: "Slow",
  description:
    "Runs for the given time and reports progress and a log line each second. For polling, streaming and cancelling.",
  tags: ["sandbox", "testing", "progress"],
  inputSchema: objectOf({
    description: "How long to run.",
    properties: {
      seconds: {
        type: "number",
        minimum: 0,
        maximum: longestSeconds,
        description: "How long the run takes, in seconds; fractions are allowed."
      }
    },
    required: ["seconds"]
  }),
  outputSchema: objectOf({
    description: "How long the run took.",
    properties: { slept: { type: "number", minimum: 0, description: "The requested seconds." } },
    required: ["slept"]
  }),
  exampleInput: { seconds: 3 },
  price: { unit: "second", unitPrice: Money.NanoUsd.make(100_000n), minimumCharge: Money.zero },
  timeoutSeconds: longestSeconds + slackSeconds,
  input: SlowInput,
  quantities: ({ seconds }) => exactly(Money.millionths(Math.round(seconds * 1e6)))
})
