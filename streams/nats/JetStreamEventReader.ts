/** The log at the servers, read-only: for projections in their own thread, `verify` and exports. */
import { Effect, Layer } from "effect"
import { EventReader, type EventStoreError } from "../EventReader.ts"
import * as FollowedLog from "./FollowedLog.ts"
import * as JetStreamReading from "./JetStreamReading.ts"
import * as MessageReads from "./MessageReads.ts"
import { Nats, type NatsUnreachable } from "./Nats.ts"
import type { NatsOptions } from "./NatsOptions.ts"
import * as PayloadRecords from "./PayloadRecords.ts"
import type { NatsTooOld } from "./ServerVersion.ts"

/** With its own connection. */
export const layer = (
  options: NatsOptions
): Layer.Layer<EventReader, EventStoreError | NatsUnreachable | NatsTooOld> =>
  layerNoDeps.pipe(Layer.provide(Nats.layer(options)))

export const layerNoDeps = Layer.effect(
  EventReader,
  Effect.gen(function* () {
    const reads = yield* MessageReads.make
    const records = yield* PayloadRecords.make
    const followed = yield* FollowedLog.make({ start: yield* reads.lastAfter(0), onBatch: () => {} })
    return EventReader.of(JetStreamReading.make({ reads, records, ...followed }))
  })
)
