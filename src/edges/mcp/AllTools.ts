/** The thirteen tools (contract, "Assistant-tool server"), in the listed order. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Effect, Layer } from "effect"
import * as Toolkit from "effect/ai/Toolkit"
import * as GetModel from "./tools/catalog/GetModel.ts"
import * as GetWrapper from "./tools/catalog/GetWrapper.ts"
import * as Lists from "./tools/catalog/Lists.ts"
import * as Recommended from "./tools/catalog/Recommended.ts"
import * as Search from "./tools/catalog/Search.ts"
import * as UploadFile from "./tools/files/UploadFile.ts"
import * as GetRequest from "./tools/requests/GetRequest.ts"
import * as ListMyRequests from "./tools/requests/ListMyRequests.ts"
import * as RunModel from "./tools/requests/RunModel.ts"
import * as WaitForRequest from "./tools/requests/WaitForRequest.ts"
import * as ToolRegistration from "./tools/ToolRegistration.ts"

/** Describe the catalog, from an overview to details. They need no caller, because the catalog is public. */
export const catalogToolkit = Toolkit.make(
  Search.tool,
  Recommended.models,
  Lists.models,
  GetModel.tool,
  GetModel.rawSchema,
  Recommended.wrappers,
  Lists.wrappers,
  GetWrapper.tool
)

const catalogCalls = catalogToolkit.toLayer(
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

export const catalogLayer = ToolRegistration.layer(catalogToolkit).pipe(Layer.provide(catalogCalls))

/** Run models and show requests. */
export const requestToolkit = Toolkit.make(
  RunModel.tool,
  GetRequest.tool,
  WaitForRequest.tool,
  ListMyRequests.tool
)

const requestCalls = requestToolkit.toLayer(
  Effect.all({
    run_model: RunModel.make,
    get_request: GetRequest.make,
    wait_for_request: WaitForRequest.make,
    list_my_requests: ListMyRequests.make
  })
)

export const requestLayer = ToolRegistration.layer(requestToolkit).pipe(Layer.provide(requestCalls))

export const fileToolkit = Toolkit.make(UploadFile.tool)

const fileCalls = fileToolkit
  .toLayer(Effect.all({ upload_file: UploadFile.make }))
  .pipe(Layer.provide(NodeFileSystem.layer))

export const fileLayer = ToolRegistration.layer(fileToolkit).pipe(Layer.provide(fileCalls))

export const layer = Layer.mergeAll(catalogLayer, requestLayer, fileLayer)
