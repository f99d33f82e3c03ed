/** Every metric of the server, in the order of its documentation. */
import * as Http from "#src/edges/http/observed/Families.ts"
import * as Backup from "#src/features/backup/Families.ts"
import * as Demand from "#src/features/demand/Families.ts"
import * as Dispatch from "#src/features/dispatch/metrics/Families.ts"
import * as LiveOutput from "#src/features/live-output/Families.ts"
import * as Manifests from "#src/features/manifests/Families.ts"
import * as Requests from "#src/features/requests/metrics/Families.ts"
import * as Webhooks from "#src/features/webhooks/metrics/Families.ts"
import * as Health from "#src/platform/health/Families.ts"
import * as Telemetry from "#src/platform/telemetry/metrics/Families.ts"
import type { Described } from "#src/platform/telemetry/metrics/Family.ts"

export const all: ReadonlyArray<Described> = [
  Requests.queueDepth,
  Requests.queueOldestAge,
  Demand.modelDemand,
  Dispatch.runsActive,
  Dispatch.runsLimit,
  Dispatch.expectedSeconds,
  Dispatch.waitSeconds,
  Dispatch.modelWaits,
  Dispatch.workersConnected,
  Dispatch.providerCircuit,
  Dispatch.providerPaused,
  Dispatch.providerPauses,
  Dispatch.providerRuns,
  Dispatch.providerRunsActive,
  Dispatch.providerRunsLimit,
  Requests.requestsSubmitted,
  Requests.requestsEnded,
  Requests.requestsRequeued,
  Webhooks.webhooksPending,
  Webhooks.webhookOldestAge,
  Webhooks.webhookAttempts,
  Webhooks.webhooksFailed,
  Demand.demandWebhooks,
  Telemetry.appendBatch,
  Telemetry.appendDuration,
  Telemetry.eventsAppended,
  Health.logHead,
  LiveOutput.outputChunks,
  LiveOutput.outputChunksDropped,
  Backup.backupPosition,
  Backup.backupLag,
  Health.walBytes,
  Health.payloadsDamaged,
  Health.projectionLagEvents,
  Health.projectionLagSeconds,
  Health.projectionStopped,
  Health.healthReason,
  Manifests.manifestErrors,
  Http.httpRequests,
  Http.httpDuration,
  Http.httpConnections,
  Http.answersOutstanding,
  Http.slowReaders,
  Http.answersRefused,
  Telemetry.logLinesSuppressed,
  Telemetry.residentMemory,
  Telemetry.heapUsed,
  Telemetry.heapTotal,
  Telemetry.eventLoopDelay,
  Telemetry.cpuSeconds,
  Telemetry.startTime,
  Telemetry.uptime,
  Telemetry.buildInfo
]
