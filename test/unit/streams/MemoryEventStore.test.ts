import * as MemoryEventStore from "#streams/MemoryEventStore.ts"
import { eventStoreContract } from "#test/support/streams/EventStoreContract.ts"
import { payloadRecordsContract } from "#test/support/streams/PayloadRecordsContract.ts"

eventStoreContract("memory", MemoryEventStore.layer)
payloadRecordsContract("memory", MemoryEventStore.layer)
