import * as MemoryEventStore from "#streams/MemoryEventStore.ts"
import * as SqliteEventStore from "#streams/sqlite/SqliteEventStore.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import type { Backend } from "./CopiedLogs.ts"
import { logCopyContract } from "./LogCopyContract.ts"

const memory: Backend = { name: "memory", layer: MemoryEventStore.layer, sharesCommits: false }

const sqlite: Backend = {
  name: "SQLite",
  layer: TempDirectory.provide(SqliteEventStore.layer),
  sharesCommits: true
}

logCopyContract(memory, sqlite)
logCopyContract(sqlite, memory)
logCopyContract(sqlite, sqlite)
