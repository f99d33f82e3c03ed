/** Our server with one model that never runs: its requests are accepted and wait. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Layer } from "effect"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import * as BuiltinCatalog from "#src/features/catalog/models/BuiltinCatalog.ts"
import * as Server from "#src/composition/Server.ts"
import { queued } from "./QueuedModel.ts"

Server.layerOf(BuiltinCatalog.layerOf([queued])).pipe(
  Layer.provide(DataDirectory.layer),
  Layer.provide(NodeServices.layer),
  Layer.launch,
  NodeRuntime.runMain
)
