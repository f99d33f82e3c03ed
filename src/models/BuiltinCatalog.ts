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

/** Makes it when it is first needed: most of what a start would compile is never used. */
const lazily = <A>(make: () => A) => {
  let made: A | undefined
  return () => (made ??= make())
}

/** Of a schema that is part of the program. */
const validatorOf = (schema: BuiltinModel["model"]["inputSchema"]) =>
  lazily(() => Result.getOrThrow(JsonSchemaValidator.make(schema, { isChecked: false })))

/** Dies on a schema that does not compile: these models are part of the program. */
export const entryOf = ({ model, quantities }: BuiltinModel): CatalogEntry => {
  const input = validatorOf(model.inputSchema)
  const output = validatorOf(model.outputSchema)
  const media = lazily(() => MediaPlaces.make(model.outputSchema))
  return {
    model,
    runs: model.endpoint,
    runInput: (value) => value,
    quantities: (value) => Effect.sync(() => quantities(value)),
    // Its provider counts what it delivers.
    delivered: ({ input: value }) => Effect.sync(() => quantities(value).maxQuantity),
    validateInput: (value) => input().issues(value),
    validateOutput: (value) => {
      const violations = output().violations(value)
      return violations.length === 0 ? media().violations(value) : violations
    },
    mediaPlaces: (value) => media().of(value)
  }
}

/** Whoever uses a schema that does not compile dies: these models are part of the program. There is one version of each. */
export const layerOf = (models: ReadonlyArray<BuiltinModel>) =>
  Layer.sync(Catalog, () => {
    const byEndpoint = new Map<string, CatalogEntry>(
      models.map((builtin) => [builtin.model.endpoint, entryOf(builtin)])
    )
    const all = [...byEndpoint.values()]
    const find = (endpoint: string) => Effect.sync(() => byEndpoint.get(endpoint) ?? null)
    return Catalog.of({ all: Effect.succeed(all), find, findVersion: find, lastOffered: find })
  })

export const layer = layerOf(builtinModels)
