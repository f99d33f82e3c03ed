/** The tools that look after files, registered with the server. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Effect, Layer } from "effect"
import * as McpServer from "effect/ai/McpServer"
import * as Toolkit from "effect/ai/Toolkit"
import * as UploadFile from "./files/UploadFile.ts"

export const toolkit = Toolkit.make(UploadFile.tool)

const calls = toolkit
  .toLayer(Effect.all({ upload_file: UploadFile.make }))
  .pipe(Layer.provide(NodeFileSystem.layer))

export const layer = McpServer.toolkit(toolkit).pipe(Layer.provide(calls))
