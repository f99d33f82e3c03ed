/**
 * Our server with one model that never runs. For each line on stdin it prints its memory as one line of JSON, between the lines
 * of its log.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Layer } from "effect"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import * as BuiltinCatalog from "#src/features/catalog/models/BuiltinCatalog.ts"
import * as Server from "#src/composition/Server.ts"
import { queued } from "../QueuedModel.ts"
import * as Scales from "../Scales.ts"

Scales.answerOnStdin()

Server.layerOf(BuiltinCatalog.layerOf([queued])).pipe(
  Layer.provide(DataDirectory.layer),
  Layer.provide(NodeServices.layer),
  Layer.launch,
  NodeRuntime.runMain
)
