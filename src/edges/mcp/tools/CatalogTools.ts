/** Registers the tools that describe the catalog. They need no caller, because the catalog is public. */
import { Effect, Layer } from "effect"
import * as Toolkit from "effect/ai/Toolkit"
import * as GetModel from "./catalog/GetModel.ts"
import * as GetModelRawSchema from "./catalog/GetModelRawSchema.ts"
import * as GetWrapper from "./catalog/GetWrapper.ts"
import * as ListModels from "./catalog/ListModels.ts"
import * as ListWrappers from "./catalog/ListWrappers.ts"
import * as RecommendedModels from "./catalog/RecommendedModels.ts"
import * as RecommendedWrappers from "./catalog/RecommendedWrappers.ts"
import * as Search from "./catalog/Search.ts"
import * as ToolRegistration from "./ToolRegistration.ts"

/** In the listed order: from an overview to details. */
export const toolkit = Toolkit.make(
  Search.tool,
  RecommendedModels.tool,
  ListModels.tool,
  GetModel.tool,
  GetModelRawSchema.tool,
  RecommendedWrappers.tool,
  ListWrappers.tool,
  GetWrapper.tool
)

const calls = toolkit.toLayer(
  Effect.all({
    search: Search.make,
    recommended_models: RecommendedModels.make,
    list_models: ListModels.make,
    get_model: GetModel.make,
    get_model_raw_schema: GetModelRawSchema.make,
    recommended_wrappers: RecommendedWrappers.make,
    list_wrappers: ListWrappers.make,
    get_wrapper: GetWrapper.make
  })
)

export const layer = ToolRegistration.layer(toolkit).pipe(Layer.provide(calls))
