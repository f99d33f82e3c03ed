/**
 * Our server with an additional no-op tool. For each line on stdin it prints its memory as one line of JSON, between the lines of
 * its log.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer, Schema } from "effect"
import * as McpServer from "effect/ai/McpServer"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import * as BuiltinCatalog from "#src/features/catalog/models/BuiltinCatalog.ts"
import * as Server from "#src/composition/Server.ts"
import { queued } from "../QueuedModel.ts"
import * as Scales from "../Scales.ts"

const noOp = Tool.make("no_op", {
  parameters: Tool.EmptyParams,
  success: Schema.Struct({ done: Schema.Boolean })
})

const toolkit = Toolkit.make(noOp)
const tools = McpServer.toolkit(toolkit).pipe(
  Layer.provide(toolkit.toLayer({ no_op: () => Effect.succeed({ done: true }) }))
)

Scales.answerOnStdin()

Server.layerOf(BuiltinCatalog.layerOf([queued, ...BuiltinCatalog.builtinModels]), tools).pipe(
  Layer.provide(DataDirectory.layer),
  Layer.provide(NodeServices.layer),
  Layer.launch,
  NodeRuntime.runMain
)
