import * as SqliteEventStore from "#streams/sqlite/SqliteEventStore.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import { eventStoreContract } from "#test/support/streams/EventStoreContract.ts"
import { payloadRecordsContract } from "#test/support/streams/PayloadRecordsContract.ts"

const layer = TempDirectory.provide(SqliteEventStore.layer)

eventStoreContract("SQLite", layer)
payloadRecordsContract("SQLite", layer)
