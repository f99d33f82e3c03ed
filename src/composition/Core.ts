/** The layers of the server and of commands that change data: the log, payloads, aggregates and read models. */
import { Effect, Layer } from "effect"
import { Deliveries } from "#projections/deliveries/Deliveries.ts"
import { DueDeliveries } from "#projections/deliveries/DueDeliveries.ts"
import { DueWork } from "#projections/due-work/DueWork.ts"
import { Files } from "#projections/files/Files.ts"
import { Ledger } from "#projections/ledger/Ledger.ts"
import { Projections } from "#projections/Projections.ts"
import { ReadModels } from "#projections/ReadModels.ts"
import type { Log } from "#projections/worker/Protocol.ts"
import * as Generations from "#projections/rebuild/Generations.ts"
import type { EventReader } from "#streams/EventReader.ts"
import type { EventStore } from "#streams/EventStore.ts"
import { IdGenerator } from "#streams/IdGenerator.ts"
import type { LogFailure } from "#streams/LogFailure.ts"
import { Payloads } from "#streams/Payload.ts"
import * as SqliteEventStore from "#streams/sqlite/SqliteEventStore.ts"
import * as LogFiles from "#streams/sqlite/LogFiles.ts"
import * as LogArchiving from "#src/features/archive/LogArchiving.ts"
import { AccountActors } from "#src/features/accounts/AccountActors.ts"
import { ConsoleSessionActors } from "#src/features/accounts/sessions/ConsoleSessionActors.ts"
import { Accounts } from "#src/features/accounts/Accounts.ts"
import { LogServers } from "#src/platform/cluster/LogServers.ts"
import { SharedLog } from "#src/platform/cluster/SharedLog.ts"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import * as ReleaseFile from "#src/kernel/disk/ReleaseFile.ts"
import { type EventStoreChoice, eventStore } from "#src/kernel/settings/EventStoreSetting.ts"
import { FileActors } from "#src/features/media/storage/FileActors.ts"
import * as NatsLog from "#src/platform/log/NatsLog.ts"
import { IdempotencyKeyActors } from "#src/features/requests/IdempotencyKeyActors.ts"
import * as AppendHealth from "#src/platform/health/AppendHealth.ts"
import { ProjectionPace } from "#src/platform/health/ProjectionPace.ts"
import * as QueueHealth from "#src/platform/health/QueueHealth.ts"
import { RequestActors } from "#src/features/requests/RequestActors.ts"
import * as FollowedActors from "./FollowedActors.ts"
import { typed } from "./Parts.ts"
import * as Snapshots from "#src/platform/snapshots/Snapshots.ts"
import * as BlobStorage from "#src/platform/blobs/BlobStorage.ts"
import { DeliveryActors } from "#src/features/webhooks/DeliveryActors.ts"
import { RecoveryActors } from "#src/features/webhooks/RecoveryActors.ts"
import {
  OperatorActionActors,
  OperatorActors,
  OperatorIdentityActors
} from "#src/features/operators/OperatorActors.ts"
import { WorkerKeyActors } from "#src/features/providers/workers/WorkerKeyActors.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"

/** The log of a directory that says which release wrote it. */
const localLog = (directory: string) =>
  Layer.effectDiscard(ReleaseFile.record(directory)).pipe(
    Layer.provideMerge(LogArchiving.layer(directory)),
    Layer.provideMerge(SqliteEventStore.layer(directory))
  )

type LogError = Layer.Error<ReturnType<typeof localLog> | ReturnType<typeof NatsLog.layer>>

const logOf = (
  choice: EventStoreChoice,
  directory: string
): Layer.Layer<EventStore | EventReader | LogFailure | LogServers, LogError> =>
  choice._tag === "Sqlite"
    ? Layer.merge(localLog(directory), Layer.succeed(LogServers, null))
    : NatsLog.layer({ nats: choice.options, directory, sharedHead: Snapshots.sharedHead })

/** The log alone, for commands that need no read models. */
export const log = Layer.merge(AppendHealth.layer, SharedLog.layer).pipe(
  Layer.provideMerge(Layer.unwrap(Effect.zipWith(eventStore.config, DataDirectory, logOf)))
)

/** Where the projections' thread reads the log. */
const logSource = (choice: EventStoreChoice, directory: string): Log =>
  choice._tag === "Sqlite"
    ? { _tag: "Sqlite", filename: LogFiles.files(directory).log }
    : { _tag: "Nats", options: choice.options }

const projections = Layer.unwrap(
  Effect.gen(function* () {
    const directory = yield* DataDirectory
    const log = logSource(yield* eventStore.config, directory)
    return Projections.layer({ filename: Generations.baseIn(directory), log })
  })
).pipe(Layer.provide(Snapshots.layerRestored))

/** How far the projections are behind the log, for the health of the node. */
export const pace = QueueHealth.layer.pipe(Layer.provideMerge(ProjectionPace.layer))

const readModels = Layer.mergeAll(
  DueWork.layer,
  Ledger.layer,
  Deliveries.layer,
  DueDeliveries.layer,
  Files.layer
).pipe(Layer.provideMerge(ReadModels.layer))

/** On one of several nodes, actors follow the events of other nodes. */
const actors = SharedLog.choose({
  single: Layer.mergeAll(
    RequestActors.layer,
    IdempotencyKeyActors.layer,
    AccountActors.layer,
    FileActors.layer,
    WorkerKeyActors.layer,
    OperatorActors.layer,
    OperatorIdentityActors.layer,
    ConsoleSessionActors.layer
  ),
  shared: FollowedActors.layer
})

const aggregates = Layer.mergeAll(
  Accounts.layer.pipe(Layer.provideMerge(actors)),
  DeliveryActors.layer,
  RecoveryActors.layer,
  OperatorActionActors.layer
)

export interface Parts {
  /** The log, whether it is shared, and the blobs. */
  readonly store: Layer.Any
  /** The read side, and what watches it. */
  readonly projections: Layer.Any
}

/** Everything that is kept, and what is read from it. */
export const layerWith = <P extends Parts>(given: P) => {
  const parts = typed(given)
  return Layer.mergeAll(
    readModels.pipe(Layer.provideMerge(parts.projections)),
    aggregates,
    Payloads.layer
  ).pipe(
    Layer.provideMerge(SteadyTime.layerOfLog),
    Layer.provideMerge(Layer.merge(parts.store, IdGenerator.layer))
  )
}

/** Of the settings. */
export const parts = {
  store: Layer.merge(log, BlobStorage.layer),
  projections: pace.pipe(Layer.provideMerge(projections))
}

export const layer = layerWith(parts)
