import * as MemoryEventStore from "#streams/MemoryEventStore.ts"
import { eventStoreContract } from "./EventStoreContract.ts"
import { payloadRecordsContract } from "./PayloadRecordsContract.ts"

eventStoreContract("memory", MemoryEventStore.layer)
payloadRecordsContract("memory", MemoryEventStore.layer)
