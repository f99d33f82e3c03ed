/**
 * Our server with one model that is never run, which says what it weighs for each line on its stdin: one JSON document on a
 * line of stdout, among those of its log.
 */
import process from "node:process"
import * as readline from "node:readline"
import * as v8 from "node:v8"
import * as vm from "node:vm"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Layer } from "effect"
import { DataDirectory } from "#src/DataDirectory.ts"
import * as BuiltinCatalog from "#src/models/BuiltinCatalog.ts"
import * as Server from "#src/Server.ts"
import { queued } from "../QueuedModel.ts"
import type { Weight } from "../webhooks/Order.ts"

v8.setFlagsFromString("--expose-gc")
const collect: () => void = vm.runInNewContext("gc")

readline.createInterface({ input: process.stdin }).on("line", () => {
  collect()
  collect()
  const { heapUsed, rss } = process.memoryUsage()
  const weight: Weight = { _tag: "Weight", resident: rss, heap: heapUsed }
  process.stdout.write(`${JSON.stringify(weight)}\n`)
})

Server.layerOf(BuiltinCatalog.layerOf([queued])).pipe(
  Layer.provide(DataDirectory.layer),
  Layer.provide(NodeServices.layer),
  Layer.launch,
  NodeRuntime.runMain
)
