/** Our server with one model that an upstream at the port in `UPSTREAM_PORT` types, chunk by chunk. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Layer } from "effect"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import { defineModel } from "#src/features/catalog/models/builtin/BuiltinModel.ts"
import { perRequest, sandboxDefaults } from "#src/features/catalog/models/builtin/sandbox/SandboxDefaults.ts"
import * as BuiltinCatalog from "#src/features/catalog/models/BuiltinCatalog.ts"
import * as Server from "#src/composition/Server.ts"

const url = `http://127.0.0.1:${process.env["UPSTREAM_PORT"]}`

const built = defineModel({
  ...sandboxDefaults,
  ...perRequest,
  concurrency: 100_000,
  timeoutSeconds: 3_600,
  endpoint: "bench/typist",
  displayName: "Typist",
  description: "Types the time.",
  tags: ["testing"],
  inputSchema: { type: "object" },
  outputSchema: { type: "object" },
  exampleInput: {},
  output: { stream: "openai" }
})

const typist = {
  ...built,
  model: {
    ...built.model,
    providers: [
      { name: "typist", adapter: "openai", url, options: { endpoint: "chat", model: "typist" } }
    ] as const
  }
}

Server.layerOf(BuiltinCatalog.layerOf([typist])).pipe(
  Layer.provide(DataDirectory.layer),
  Layer.provide(NodeServices.layer),
  Layer.launch,
  NodeRuntime.runMain
)
