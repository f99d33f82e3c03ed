/** The models that ship with the server. */
import { Effect, Layer } from "effect"
import { lazy } from "#src/kernel/async/Lazy.ts"
import type { BuiltinModel } from "./builtin/BuiltinModel.ts"
import { sandboxModels } from "./builtin/sandbox/SandboxModels.ts"
import { visionModels } from "./builtin/vision/VisionModels.ts"
import { Catalog, type CatalogEntry } from "./Catalog.ts"
import * as JsonSchemaValidator from "./JsonSchemaValidator.ts"
import * as MediaPointers from "./MediaPointers.ts"

/** Every model that ships with the server. */
export const builtinModels: ReadonlyArray<BuiltinModel> = [...sandboxModels, ...visionModels]

/** Dies if a schema does not compile, because these models are part of the program. */
export const entryOf = ({ model, quantities }: BuiltinModel): CatalogEntry => {
  const input = JsonSchemaValidator.ofProgram(model.inputSchema)
  const output = JsonSchemaValidator.ofProgram(model.outputSchema)
  const media = lazy(() => MediaPointers.make(model.outputSchema))
  return {
    model,
    runs: model.endpoint,
    runInput: (value) => value,
    quantities: (value) => Effect.succeed(quantities(value)),
    // The provider counts the delivered units.
    delivered: ({ input: value }) => Effect.sync(() => quantities(value).maxQuantity),
    countsDelivered: false,
    validateInput: (value) => input.issues(value),
    validateOutput: (value) => {
      const violations = output.violations(value)
      return violations.length === 0 ? media().violations(value) : violations
    },
    mediaPointers: (value) => media().of(value)
  }
}

/** Dies when a schema that does not compile is used. Each model has one version. */
export const layerOf = (models: ReadonlyArray<BuiltinModel>) =>
  Layer.sync(Catalog, () => {
    const byEndpoint = new Map<string, CatalogEntry>(
      models.map((builtin) => [builtin.model.endpoint, entryOf(builtin)])
    )
    const all = [...byEndpoint.values()]
    const find = (endpoint: string) => Effect.succeed(byEndpoint.get(endpoint) ?? null)
    return Catalog.of({ all: Effect.succeed(all), find, findVersion: find, lastOffered: find })
  })

export const layer = layerOf(builtinModels)
