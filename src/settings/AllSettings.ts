/** Every setting of the server, in the order of its documentation. One that is not listed is neither validated nor documented. */
import { Array, Config, Effect } from "effect"
import { bootstrapApiKey, bootstrapBalance } from "#src/accounts/Bootstrap.ts"
import { dataDir, expectData } from "#src/DataDirectory.ts"
import { eventStore } from "#src/EventStoreSetting.ts"
import { host, port } from "#src/ListenAddress.ts"
import { trustedProxies } from "#src/http/edge/ClientAddress.ts"
import { answerMemory, answerMemoryPerClient } from "#src/http/edge/ReaderLimits.ts"
import { metricsToken } from "#src/http/routes/Metrics.ts"
import { storageQuota } from "#src/files/StorageQuota.ts"
import { logLevel } from "#src/LogLevel.ts"
import { logRequestsPerSecond } from "#src/operations/logs/AccessLog.ts"
import { logFormat } from "#src/operations/logs/LogFormat.ts"
import { callbackUrl } from "#src/providers/Callbacks.ts"
import { modelsDir } from "#src/manifests/ModelsDir.ts"
import * as OtlpSettings from "#src/operations/telemetry/OtlpSettings.ts"
import { inputMemory } from "#src/memory/InputMemory.ts"
import { allowPrivateTargets } from "#src/outbound/Vetting.ts"
import { visionWorkers } from "#src/vision/VisionWorkers.ts"
import { baseUrl, mcpUrl, mediaUrl, queueUrl } from "#src/PublicUrls.ts"
import { sweepInterval } from "#src/reactors/sweep/Sweeping.ts"
import { retention } from "#src/retention/RetentionTime.ts"
import { masterKey } from "#src/secrets/MasterKey.ts"
import { blobStore } from "#src/storage/BlobStorage.ts"
import { mediaDelivery } from "#src/storage/MediaDeliverySetting.ts"
import { InvalidSettings } from "./InvalidSettings.ts"
import type { Setting } from "./Setting.ts"

export const all: ReadonlyArray<Setting<unknown>> = [
  host,
  port,
  dataDir,
  expectData,
  queueUrl,
  baseUrl,
  mediaUrl,
  mcpUrl,
  callbackUrl,
  trustedProxies,
  answerMemory,
  answerMemoryPerClient,
  bootstrapApiKey,
  bootstrapBalance,
  masterKey,
  allowPrivateTargets,
  modelsDir,
  eventStore,
  blobStore,
  mediaDelivery,
  retention,
  storageQuota,
  inputMemory,
  visionWorkers,
  sweepInterval,
  logLevel,
  logFormat,
  logRequestsPerSecond,
  metricsToken,
  ...OtlpSettings.all
]

const faultOf = ({ fault, name }: Setting<unknown>): Effect.Effect<string | null> =>
  fault === undefined
    ? Effect.succeed(null)
    : Effect.orElseSucceed(Config.map(Config.String(name), fault), () => null)

/** Fails with everything that is wrong with the settings, not merely the first. */
export const validate: Effect.Effect<void, InvalidSettings> = Effect.gen(function* () {
  const wrong = yield* Effect.filter(all, ({ config }) => Effect.isFailure(config))
  const told = yield* Effect.forEach(wrong, (setting) =>
    Effect.map(faultOf(setting), (fault) => ({ setting, fault }))
  )
  if (Array.isReadonlyArrayNonEmpty(told)) return yield* InvalidSettings.of(told)
})
