import { memory, sqlite } from "#test/support/streams/copy/CopiedLogs.ts"
import { logCopyContract } from "#test/support/streams/copy/LogCopyContract.ts"

logCopyContract(memory, sqlite)
logCopyContract(sqlite, memory)
logCopyContract(sqlite, sqlite)
