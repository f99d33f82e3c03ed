/** Every setting of the server, in the order of its documentation. One that is not listed is neither validated nor documented. */
import { Array, Effect } from "effect"
import { bootstrapApiKey, bootstrapBalance } from "#src/accounts/Bootstrap.ts"
import { dataDir } from "#src/DataDirectory.ts"
import { eventStore } from "#src/EventStoreSetting.ts"
import { host, port } from "#src/ListenAddress.ts"
import { metricsToken } from "#src/http/routes/Metrics.ts"
import { logLevel } from "#src/LogLevel.ts"
import { logRequestsPerSecond } from "#src/operations/logs/AccessLog.ts"
import { logFormat } from "#src/operations/logs/LogFormat.ts"
import * as OtlpSettings from "#src/operations/telemetry/OtlpSettings.ts"
import { allowPrivateTargets } from "#src/outbound/Vetting.ts"
import { visionWorkers } from "#src/vision/VisionWorkers.ts"
import { baseUrl, mcpUrl, mediaUrl, queueUrl } from "#src/PublicUrls.ts"
import { sweepInterval } from "#src/reactors/sweep/Sweeping.ts"
import { retention } from "#src/retention/RetentionTime.ts"
import { masterKey } from "#src/secrets/MasterKey.ts"
import { blobStore } from "#src/storage/BlobStorage.ts"
import { InvalidSettings } from "./InvalidSettings.ts"
import type { Setting } from "./Setting.ts"

export const all: ReadonlyArray<Setting<unknown>> = [
  host,
  port,
  dataDir,
  queueUrl,
  baseUrl,
  mediaUrl,
  mcpUrl,
  bootstrapApiKey,
  bootstrapBalance,
  masterKey,
  allowPrivateTargets,
  eventStore,
  blobStore,
  retention,
  visionWorkers,
  sweepInterval,
  logLevel,
  logFormat,
  logRequestsPerSecond,
  metricsToken,
  ...OtlpSettings.all
]

/** Fails with everything that is wrong with the settings, not merely the first. */
export const validate: Effect.Effect<void, InvalidSettings> = Effect.gen(function* () {
  const wrong = yield* Effect.filter(all, ({ config }) => Effect.isFailure(config))
  if (Array.isReadonlyArrayNonEmpty(wrong)) return yield* InvalidSettings.of(wrong)
})
