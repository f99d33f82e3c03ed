import * as MemoryEventStore from "#streams/MemoryEventStore.ts"
import { eventStoreContract } from "./EventStoreContract.ts"

eventStoreContract("memory", MemoryEventStore.layer)
