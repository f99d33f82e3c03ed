/** `Administration` in the process that holds the log. */
import { Effect, Layer, Redacted } from "effect"
import type { AccountId } from "#domain/Ids.ts"
import { allProjections } from "#projections/AllProjections.ts"
import { CatalogRows } from "#projections/catalog/CatalogRows.ts"
import { History } from "#projections/history/History.ts"
import { Keys } from "#projections/keys/Keys.ts"
import { Projections } from "#projections/Projections.ts"
import * as Generations from "#projections/rebuild/Generations.ts"
import { Retention } from "#projections/retention/Retention.ts"
import * as ProjectionStatus from "#projections/status/ProjectionStatus.ts"
import { Accounts } from "#src/features/accounts/Accounts.ts"
import * as ApiKey from "#src/features/accounts/ApiKey.ts"
import { KeyUse } from "#src/features/accounts/KeyUse.ts"
import { Passwords } from "#src/features/accounts/Passwords.ts"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import { LogServers } from "#src/platform/cluster/LogServers.ts"
import { FileSweep } from "#src/features/files/FileSweep.ts"
import { MediaStore } from "#src/features/media/MediaStore.ts"
import { AccountErasing } from "#src/features/retention/AccountErasing.ts"
import { Eraser } from "#src/features/retention/Eraser.ts"
import { MasterKey } from "#src/kernel/secrets/MasterKey.ts"
import { WorkerKeys } from "#src/features/providers/workers/WorkerKeys.ts"
import * as ClientFacing from "#src/features/media/storage/ClientFacing.ts"
import { EventReader } from "#streams/EventReader.ts"
import { Administration } from "./Administration.ts"
import { AdministrationFailed } from "./AdministrationFailed.ts"
import type { IssuedKey } from "./keys/KeyOperations.ts"
import * as LocalAccounts from "./accounts/LocalAccounts.ts"
import * as LocalErasing from "./accounts/LocalErasing.ts"
import * as LocalRequests from "./requests/LocalRequests.ts"
import * as LocalCatalog from "./catalog/LocalCatalog.ts"
import * as LocalWorkerKeys from "./LocalWorkerKeys.ts"

/** Keys that a page lists at most. */
const pageSize = 1_000

const issued = (accountId: AccountId, key: ApiKey.ApiKey): IssuedKey => ({
  accountId,
  keyId: key.keyId,
  key: Redacted.make(ApiKey.format(key))
})

const failed = (error: { readonly message: string }) => new AdministrationFailed({ reason: error.message })

const layerNoDeps = Layer.effect(
  Administration,
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const keys = yield* Keys
    const { withUse } = yield* KeyUse
    const projections = yield* Projections
    const reader = yield* EventReader
    const directory = yield* DataDirectory

    const openAccount: Administration["Service"]["openAccount"] = Effect.fn("Administration.openAccount")(
      function* ({ name, balance }) {
        const key = ApiKey.makeForNewAccount()
        const { accountId } = yield* accounts.open({ name, key, balance })
        return issued(accountId, key)
      },
      Effect.catchTag("EventStoreError", failed)
    )

    const issueKey: Administration["Service"]["issueKey"] = Effect.fn("Administration.issueKey")(
      function* (options) {
        return issued(options.accountId, yield* accounts.issueKey(options))
      },
      Effect.catchTag("EventStoreError", failed)
    )

    const rotateKey: Administration["Service"]["rotateKey"] = Effect.fn("Administration.rotateKey")(
      function* (options) {
        const { accountId, key, previousExpiresAt } = yield* accounts.rotateKey(options)
        return { ...issued(accountId, key), previousExpiresAt }
      },
      Effect.catchTag("EventStoreError", failed)
    )

    const revokeKey: Administration["Service"]["revokeKey"] = Effect.fn("Administration.revokeKey")(
      ({ keyId }) => accounts.revokeKey(keyId),
      Effect.catchTag("EventStoreError", failed)
    )

    const listKeys: Administration["Service"]["listKeys"] = Effect.fn("Administration.listKeys")(
      function* (options) {
        yield* projections.waitFor(yield* reader.head, { projection: "keys" })
        return (yield* keys.list({ ...options, limit: pageSize })).map(withUse)
      },
      Effect.catchTag(["EventStoreError", "SqlError"], failed)
    )

    const listProjections = Effect.flatMap(projections.standings, (standings) =>
      ProjectionStatus.read({ base: Generations.baseIn(directory), projections: allProjections, standings })
    ).pipe(
      Effect.provideService(EventReader, reader),
      Effect.catchTag(["EventStoreError", "ReadModelError"], failed),
      Effect.withSpan("Administration.listProjections")
    )

    const adoptProjections = projections.adopt.pipe(
      Effect.tap(() => Effect.logInfo("Rebuilt read models have taken over")),
      Effect.catchTag(["EventStoreError", "ReadModelError", "WorkerStopped"], failed),
      Effect.withSpan("Administration.adoptProjections")
    )

    return Administration.of({
      openAccount,
      issueKey,
      rotateKey,
      revokeKey,
      listKeys,
      ...(yield* LocalAccounts.make),
      ...(yield* LocalErasing.make),
      ...(yield* LocalRequests.make),
      ...(yield* LocalWorkerKeys.make),
      ...(yield* LocalCatalog.make),
      listProjections: () => listProjections,
      adoptProjections: () => adoptProjections
    })
  })
)

const secrets = LogServers.choose({ single: MasterKey.layer, shared: MasterKey.layerRequired })

const erasing = AccountErasing.layer.pipe(
  Layer.provide([Eraser.layer, Retention.layer, FileSweep.layer]),
  Layer.provide(MediaStore.layer),
  Layer.provide(ClientFacing.layer),
  Layer.provide(secrets)
)

const passwords = Passwords.layer.pipe(Layer.provide(secrets))

export const layer = layerNoDeps.pipe(
  Layer.provide([Keys.layer, KeyUse.layer, WorkerKeys.layer, CatalogRows.layer, History.layer]),
  Layer.provide([erasing, passwords])
)
