/** What every command that changes something needs: the log, its payloads, the aggregates, and the read side. */
import { Config, Effect, Layer } from "effect"
import { DueWork } from "#projections/due-work/DueWork.ts"
import { Ledger } from "#projections/ledger/Ledger.ts"
import { Projections } from "#projections/Projections.ts"
import { ReadModels } from "#projections/ReadModels.ts"
import * as Generations from "#projections/rebuild/Generations.ts"
import { IdGenerator } from "#streams/IdGenerator.ts"
import { Payloads } from "#streams/Payload.ts"
import * as SqliteEventStore from "#streams/sqlite/SqliteEventStore.ts"
import { AccountActors } from "./accounts/AccountActors.ts"
import { Accounts } from "./accounts/Accounts.ts"
import { DataDirectory } from "./DataDirectory.ts"
import { IdempotencyKeyActors } from "./requests/IdempotencyKeyActors.ts"
import { RequestActors } from "./requests/RequestActors.ts"
import * as Setting from "./settings/Setting.ts"
import * as BlobStorage from "./storage/BlobStorage.ts"

/** Part of the settings from the first release on, so that another store is one more case here. */
export const eventStore = Setting.make({
  name: "EVENT_STORE",
  config: (name) => Config.Literal("sqlite", name),
  default: "sqlite",
  description: "the log's backend; there is no other one yet",
  accepts: "`sqlite`",
  example: "sqlite"
})

const log = Layer.unwrap(
  Effect.gen(function* () {
    yield* eventStore.config
    return SqliteEventStore.layer(yield* DataDirectory)
  })
)

const projections = Layer.unwrap(
  Effect.map(DataDirectory, (directory) =>
    Projections.layer({
      filename: Generations.baseIn(directory),
      log: { _tag: "Sqlite", filename: SqliteEventStore.files(directory).log }
    })
  )
)

const readModels = Layer.mergeAll(DueWork.layer, Ledger.layer).pipe(
  Layer.provideMerge(ReadModels.layer),
  Layer.provideMerge(projections)
)

const aggregates = Layer.mergeAll(
  Accounts.layer.pipe(Layer.provideMerge(AccountActors.layer)),
  RequestActors.layer,
  IdempotencyKeyActors.layer
)

export const layer = Layer.mergeAll(readModels, aggregates, Payloads.layer).pipe(
  Layer.provideMerge(Layer.mergeAll(log, IdGenerator.layer, BlobStorage.layer))
)
