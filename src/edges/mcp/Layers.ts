/** The services for the assistant-tool server. */
import { Layer } from "effect"
import * as Telemetry from "#src/platform/telemetry/otlp/Telemetry.ts"
import * as Mcp from "./Mcp.ts"

export type MoreTools = Parameters<typeof Mcp.layerWith>[0]

export const layer = (tools: MoreTools) => Mcp.layerWith(tools).pipe(Layer.provide(Telemetry.untraced))
