/** The services for the assistant-tool server. */
import { Layer } from "effect"
import { OAuthDatabase } from "#src/edges/oauth/OAuthDatabase.ts"
import { StorageQuota } from "#src/features/media/storage/StorageQuota.ts"
import * as Telemetry from "#src/platform/telemetry/otlp/Telemetry.ts"
import * as Mcp from "./Mcp.ts"

export type MoreTools = Parameters<typeof Mcp.layerWith>[0]

export const layer = (tools: MoreTools) =>
  Mcp.layerWith(tools).pipe(
    Layer.provide([OAuthDatabase.layer, StorageQuota.layer]),
    Layer.provide(Telemetry.untraced)
  )
