/** Registers the tools that run models and show requests. */
import { Effect, Layer } from "effect"
import * as Toolkit from "effect/ai/Toolkit"
import * as GetRequest from "./requests/GetRequest.ts"
import * as ListMyRequests from "./requests/ListMyRequests.ts"
import * as RunModel from "./requests/RunModel.ts"
import * as WaitForRequest from "./requests/WaitForRequest.ts"
import * as ToolRegistration from "./ToolRegistration.ts"

export const toolkit = Toolkit.make(RunModel.tool, GetRequest.tool, WaitForRequest.tool, ListMyRequests.tool)

const calls = toolkit.toLayer(
  Effect.all({
    run_model: RunModel.make,
    get_request: GetRequest.make,
    wait_for_request: WaitForRequest.make,
    list_my_requests: ListMyRequests.make
  })
)

export const layer = ToolRegistration.layer(toolkit).pipe(Layer.provide(calls))
