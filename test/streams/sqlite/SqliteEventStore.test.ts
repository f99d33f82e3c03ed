import * as SqliteEventStore from "#streams/sqlite/SqliteEventStore.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import { eventStoreContract } from "../EventStoreContract.ts"
import { payloadRecordsContract } from "../PayloadRecordsContract.ts"

const layer = TempDirectory.provide(SqliteEventStore.layer)

eventStoreContract("SQLite", layer)
payloadRecordsContract("SQLite", layer)
