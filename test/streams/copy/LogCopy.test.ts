import { memory, sqlite } from "./CopiedLogs.ts"
import { logCopyContract } from "./LogCopyContract.ts"

logCopyContract(memory, sqlite)
logCopyContract(sqlite, memory)
logCopyContract(sqlite, sqlite)
