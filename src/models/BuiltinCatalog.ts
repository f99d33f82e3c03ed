/** The catalog of the models that ship with the server. */
import { Effect, Layer, Result } from "effect"
import type { BuiltinModel } from "./builtin/BuiltinModel.ts"
import { sandboxModels } from "./builtin/sandbox/SandboxModels.ts"
import { visionModels } from "./builtin/vision/VisionModels.ts"
import { Catalog, type CatalogEntry } from "./Catalog.ts"
import * as JsonSchemaValidator from "./JsonSchemaValidator.ts"
import * as MediaPlaces from "./MediaPlaces.ts"

/** Every model that ships with the server. */
export const builtinModels: ReadonlyArray<BuiltinModel> = [...sandboxModels, ...visionModels]

const entryOf = ({ model, quantities }: BuiltinModel): CatalogEntry => {
  const input = Result.getOrThrow(JsonSchemaValidator.make(model.inputSchema))
  const output = Result.getOrThrow(JsonSchemaValidator.make(model.outputSchema))
  const media = MediaPlaces.make(model.outputSchema)
  return {
    model,
    quantities,
    validateInput: input.issues,
    validateOutput: (value) => {
      const violations = output.violations(value)
      return violations.length === 0 ? media.violations(value) : violations
    },
    mediaPlaces: media.of
  }
}

/** Dies when a schema does not compile: these models are part of the program. There is one version of each. */
export const layerOf = (models: ReadonlyArray<BuiltinModel>) =>
  Layer.sync(Catalog, () => {
    const byEndpoint = new Map<string, CatalogEntry>(
      models.map((builtin) => [builtin.model.endpoint, entryOf(builtin)])
    )
    const find = (endpoint: string) => Effect.sync(() => byEndpoint.get(endpoint) ?? null)
    return Catalog.of({ all: Effect.sync(() => [...byEndpoint.values()]), find, findVersion: find })
  })

export const layer = layerOf(builtinModels)
