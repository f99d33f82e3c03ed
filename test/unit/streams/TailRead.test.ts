import * as MemoryEventStore from "#streams/MemoryEventStore.ts"
import * as SqliteEventStore from "#streams/sqlite/SqliteEventStore.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import { tailReadContract } from "#test/support/streams/TailReadContract.ts"

tailReadContract("memory", MemoryEventStore.layer)
tailReadContract("SQLite", TempDirectory.provide(SqliteEventStore.layer))
