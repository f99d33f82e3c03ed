/** Registers the tools for files. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Effect, Layer } from "effect"
import * as Toolkit from "effect/ai/Toolkit"
import * as UploadFile from "./files/UploadFile.ts"
import * as ToolRegistration from "./ToolRegistration.ts"

export const toolkit = Toolkit.make(UploadFile.tool)

const calls = toolkit
  .toLayer(Effect.all({ upload_file: UploadFile.make }))
  .pipe(Layer.provide(NodeFileSystem.layer))

export const layer = ToolRegistration.layer(toolkit).pipe(Layer.provide(calls))
