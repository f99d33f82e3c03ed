import * as SqliteEventStore from "#streams/sqlite/SqliteEventStore.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import { eventStoreContract } from "../EventStoreContract.ts"

eventStoreContract("SQLite", TempDirectory.provide(SqliteEventStore.layer))
