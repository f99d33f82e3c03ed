/** Every setting of the server, in the order of its documentation. A setting that is not listed is neither validated nor documented. */
import { Array, Config, Effect } from "effect"
import { archive } from "#src/features/archive/ArchiveSetting.ts"
import { bootstrapApiKey, bootstrapBalance } from "#src/features/accounts/Bootstrap.ts"
import { dataDir, expectData } from "#src/kernel/disk/DataDirectory.ts"
import { eventStore } from "#src/kernel/settings/EventStoreSetting.ts"
import { host, port } from "#src/kernel/settings/ListenAddress.ts"
import { trustedProxies } from "#src/edges/http/edge/ClientAddress.ts"
import { answerMemory, answerMemoryPerClient } from "#src/edges/http/edge/ReaderLimits.ts"
import {
  demandIdleAfter,
  demandWebhookSecret,
  demandWebhookUrl
} from "#src/features/demand/announcing/DemandSettings.ts"
import { adminHost, adminPort } from "#src/edges/server/admin/AdminListener.ts"
import { consoleSessionTime } from "#src/edges/console/sessions/SessionTime.ts"
import { metricsToken } from "#src/edges/server/system/Metrics.ts"
import { storageQuota } from "#src/features/media/storage/StorageQuota.ts"
import { logLevel } from "#src/kernel/settings/LogLevel.ts"
import { logRequestsPerSecond } from "#src/edges/http/observed/AccessLog.ts"
import { logFormat } from "#src/platform/telemetry/logs/LogFormat.ts"
import { callbackUrl } from "#src/features/providers/Callbacks.ts"
import { modelsDir } from "#src/features/manifests/ModelsDir.ts"
import * as SsoSettings from "#src/edges/sso/SsoSettings.ts"
import * as OtlpSettings from "#src/platform/telemetry/otlp/OtlpSettings.ts"
import { inputMemory } from "#src/kernel/memory/InputMemory.ts"
import { allowPrivateTargets } from "#src/kernel/outbound/Vetting.ts"
import { visionWorkers } from "#src/features/media/vision/VisionWorkers.ts"
import { baseUrl, mcpUrl, mediaUrl, queueUrl } from "#src/kernel/settings/PublicUrls.ts"
import { sweepInterval } from "#src/features/dispatch/sweep/Sweeping.ts"
import { retention } from "#src/kernel/settings/RetentionTime.ts"
import { masterKey, masterKeyFile } from "#src/kernel/secrets/GivenMasterKey.ts"
import { blobStore } from "#src/platform/blobs/BlobStorage.ts"
import { mediaDelivery } from "#src/features/media/storage/MediaDeliverySetting.ts"
import { InvalidSettings } from "#src/kernel/settings/InvalidSettings.ts"
import type { Setting } from "#src/kernel/settings/Setting.ts"

export const all: ReadonlyArray<Setting<unknown>> = [
  host,
  port,
  adminPort,
  adminHost,
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
  ...SsoSettings.all,
  consoleSessionTime,
  bootstrapApiKey,
  bootstrapBalance,
  masterKey,
  masterKeyFile,
  allowPrivateTargets,
  modelsDir,
  eventStore,
  blobStore,
  mediaDelivery,
  archive,
  retention,
  storageQuota,
  inputMemory,
  visionWorkers,
  sweepInterval,
  demandWebhookUrl,
  demandWebhookSecret,
  demandIdleAfter,
  logLevel,
  logFormat,
  logRequestsPerSecond,
  metricsToken,
  ...OtlpSettings.all
]

/** The precise message for a wrong text; `null` without one. */
const faultOf = ({ fault = () => null, name }: Setting<unknown>): Effect.Effect<string | null> =>
  Effect.orElseSucceed(Config.map(Config.String(name), fault), () => null)

/** Fails with all invalid settings. */
export const validate: Effect.Effect<void, InvalidSettings> = Effect.gen(function* () {
  const wrong = yield* Effect.filter(all, ({ config }) => Effect.isFailure(config))
  const errors = yield* Effect.forEach(wrong, (setting) =>
    Effect.map(faultOf(setting), (fault) => ({ setting, fault }))
  )
  if (Array.isReadonlyArrayNonEmpty(errors)) return yield* InvalidSettings.of(errors)
})
