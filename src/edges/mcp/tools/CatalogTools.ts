/** Registers the tools that describe the catalog. They need no caller, because the catalog is public. */
import { Effect, Layer } from "effect"
import * as Toolkit from "effect/ai/Toolkit"
import * as GetModel from "./catalog/GetModel.ts"
import * as GetWrapper from "./catalog/GetWrapper.ts"
import * as Lists from "./catalog/Lists.ts"
import * as Recommended from "./catalog/Recommended.ts"
import * as Search from "./catalog/Search.ts"
import * as ToolRegistration from "./ToolRegistration.ts"

/** In the listed order: from an overview to details. */
export const toolkit = Toolkit.make(
  Search.tool,
  Recommended.models,
  Lists.models,
  GetModel.tool,
  GetModel.rawSchema,
  Recommended.wrappers,
  Lists.wrappers,
  GetWrapper.tool
)

const calls = toolkit.toLayer(
  Effect.all({
    search: Search.make,
    recommended_models: Recommended.makeModels,
    list_models: Lists.makeModels,
    get_model: GetModel.make,
    get_model_raw_schema: GetModel.makeRawSchema,
    recommended_wrappers: Recommended.makeWrappers,
    list_wrappers: Lists.makeWrappers,
    get_wrapper: GetWrapper.make
  })
)

export const layer = ToolRegistration.layer(toolkit).pipe(Layer.provide(calls))
