/** `Administration` on the log, in the process that has locked it. */
import { Effect, Layer } from "effect"
import { allProjections } from "#projections/AllProjections.ts"
import { CatalogRows } from "#projections/catalog/CatalogRows.ts"
import { History } from "#projections/history/History.ts"
import { Keys } from "#projections/keys/Keys.ts"
import { Operators } from "#projections/operators/Operators.ts"
import { Projections } from "#projections/Projections.ts"
import * as Generations from "#projections/rebuild/Generations.ts"
import { Retention } from "#projections/retention/Retention.ts"
import * as ProjectionStatus from "#projections/status/ProjectionStatus.ts"
import { KeyUse } from "#src/features/accounts/KeyUse.ts"
import { OperatorActions } from "#src/features/operators/OperatorActions.ts"
import { OperatorKeys } from "#src/features/operators/OperatorKeys.ts"
import { Passwords } from "#src/features/accounts/Passwords.ts"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import * as LiveOutput from "#src/features/live-output/Layers.ts"
import { SharedLog } from "#src/platform/cluster/SharedLog.ts"
import { FileSweep } from "#src/features/files/FileSweep.ts"
import { MediaStore } from "#src/features/media/MediaStore.ts"
import { AccountErasing } from "#src/features/retention/AccountErasing.ts"
import { Eraser } from "#src/features/retention/Eraser.ts"
import { MasterKey } from "#src/kernel/secrets/MasterKey.ts"
import { OperatorSessions } from "#src/features/operators/OperatorSessions.ts"
import { WorkerKeys } from "#src/features/providers/workers/WorkerKeys.ts"
import * as ClientFacing from "#src/features/media/storage/ClientFacing.ts"
import { EventReader } from "#streams/EventReader.ts"
import type { operations as declared } from "./Administration.ts"
import { Administration } from "./Administration.ts"
import { type LocalOperations, reported } from "./Operations.ts"
import * as LocalAccounts from "./accounts/LocalAccounts.ts"
import * as RequestFacts from "./requests/RequestFacts.ts"
import * as RequestList from "./requests/RequestList.ts"
import * as LocalCatalog from "./catalog/LocalCatalog.ts"
import * as LocalFleet from "./fleet/LocalFleet.ts"
import * as LocalQueues from "./fleet/LocalQueues.ts"
import * as LocalKeys from "./keys/LocalKeys.ts"
import * as LocalLog from "./log/LocalLog.ts"
import * as LocalOperators from "./operators/LocalOperators.ts"
import * as LocalServerLog from "./server-log/LocalServerLog.ts"
import * as Recorded from "./Recorded.ts"

const layerNoDeps = Layer.effect(
  Administration,
  Effect.gen(function* () {
    const projections = yield* Projections
    const reader = yield* EventReader
    const directory = yield* DataDirectory
    const actions = yield* OperatorActions

    const operations: LocalOperations<typeof declared> = {
      ...(yield* LocalKeys.make),
      ...(yield* LocalAccounts.make),
      listRequests: yield* RequestList.make,
      showRequest: yield* RequestFacts.make,
      ...(yield* LocalCatalog.make),
      ...(yield* LocalOperators.make),
      ...(yield* LocalFleet.make),
      ...(yield* LocalQueues.make),
      ...(yield* LocalServerLog.make),
      ...(yield* LocalLog.make),
      listProjections: () =>
        Effect.flatMap(projections.states, (states) =>
          ProjectionStatus.read({
            base: Generations.baseIn(directory),
            projections: allProjections,
            states
          })
        ).pipe(Effect.provideService(EventReader, reader)),
      adoptProjections: () =>
        Effect.tap(projections.adopt, () => Effect.logInfo("Rebuilt read models have taken over"))
    }
    return Administration.of(Recorded.make(reported<typeof declared>(operations), actions))
  })
)

const secrets = SharedLog.choose({ single: MasterKey.layer, shared: MasterKey.layerRequired })

const erasing = AccountErasing.layer.pipe(
  Layer.provide([Eraser.layer, Retention.layer, FileSweep.layer]),
  Layer.provide(LiveOutput.layerStore),
  Layer.provide(MediaStore.layer),
  Layer.provide(ClientFacing.layer),
  Layer.provide(secrets)
)

const passwords = Passwords.layer.pipe(Layer.provide(secrets))

export const layer = layerNoDeps.pipe(
  Layer.provide([Keys.layer, KeyUse.layer, WorkerKeys.layer, CatalogRows.layer, History.layer]),
  Layer.provide([
    erasing,
    passwords,
    OperatorKeys.layer,
    OperatorSessions.layer,
    OperatorActions.layer,
    Operators.layer
  ])
)
