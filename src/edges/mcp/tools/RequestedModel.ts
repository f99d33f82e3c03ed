/** Finds the model or wrapper that a tool call names. */
import { Effect } from "effect"
import { CatalogContents, type Listed } from "#src/features/catalog/CatalogContents.ts"
import type { ToolError } from "../ToolError.ts"
import * as UnknownModel from "./UnknownModel.ts"

export const make = Effect.gen(function* () {
  const catalog = yield* CatalogContents
  const unknownModel = yield* UnknownModel.make
  return Effect.fnUntraced(function* (endpoint: string): Effect.fn.Return<Listed, ToolError> {
    const contents = yield* catalog.current
    return contents.byEndpoint.get(endpoint) ?? (yield* unknownModel(contents, endpoint))
  })
})
