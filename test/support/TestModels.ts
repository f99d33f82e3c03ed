/** Models for tests of dispatch and settlement. */
import type { Json } from "#domain/CanonicalJson.ts"
import * as Money from "#domain/Money.ts"
import type { RunOutcome } from "#domain/Outcome.ts"
import {
  type BuiltinModel,
  type Definition,
  defineModel
} from "#src/features/catalog/models/builtin/BuiltinModel.ts"
import { perRequest } from "#src/features/catalog/models/builtin/sandbox/SandboxDefaults.ts"

const schema = (description: string) => ({
  type: "object",
  description,
  properties: { value: { type: "string" } },
  required: ["value"],
  additionalProperties: false
})

/** A model that takes and returns `{ value }`, one run at a time unless `changes` say otherwise. */
export const testModel = (
  endpoint: string,
  changes: Partial<Definition<unknown>> & { readonly provider?: string } = {}
): BuiltinModel => {
  const { provider, ...definition } = changes
  const built = defineModel({
    ...perRequest,
    endpoint,
    displayName: endpoint,
    description: "A model for tests.",
    category: "utility",
    tags: [],
    inputSchema: schema("What goes in."),
    outputSchema: schema("What comes out."),
    exampleInput: { value: "hello" },
    expectedSeconds: 1,
    timeoutSeconds: 60,
    concurrency: 1,
    ...definition
  })
  return provider === undefined
    ? built
    : { ...built, model: { ...built.model, providers: [{ name: provider, adapter: "http" }] } }
}

/** One run at a time. */
export const single = testModel("test/single")
/** Three runs at once. */
export const triple = testModel("test/triple", { concurrency: 3 })

export const models = { single, triple }

/** A successful run. */
export const succeeded = (output: Json = { value: "out" }): RunOutcome => ({
  _tag: "Succeeded",
  output,
  delivered: Money.units(1)
})
