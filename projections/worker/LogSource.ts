/** The worker's own, read-only access to the log. */
import { Effect, Layer, type Stream } from "effect"
import type { EventReader, EventStoreError } from "#streams/EventReader.ts"
import type { NatsUnreachable } from "#streams/nats/Nats.ts"
import type { NatsOptions } from "#streams/nats/NatsOptions.ts"
import type { NatsTooOld } from "#streams/nats/ServerVersion.ts"
import * as SqliteEventReader from "#streams/sqlite/SqliteEventReader.ts"
import type { Log } from "./Protocol.ts"

/** The NATS client is loaded only when the log is on NATS. NATS servers push new events, so no wake-up is needed. */
const nats = (options: NatsOptions) =>
  Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("#streams/nats/JetStreamEventReader.ts")),
      (JetStreamEventReader) => JetStreamEventReader.layer(options)
    )
  )

export const layer = (
  log: Log,
  wake: Stream.Stream<unknown>
): Layer.Layer<EventReader, EventStoreError | NatsUnreachable | NatsTooOld> => {
  switch (log._tag) {
    case "Sqlite":
      return SqliteEventReader.layer({ filename: log.filename, wake, isPatient: true })
    case "Nats":
      return nats(log.options)
  }
}
