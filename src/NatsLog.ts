/** The log on NATS JetStream. Its client is loaded by those alone whose log is there: short commands would notice. */
import { Effect, Layer } from "effect"
import { LogServers } from "#src/cluster/LogServers.ts"
import type { NatsOptions } from "#streams/nats/NatsOptions.ts"

const Servers = Effect.promise(() => import("#streams/nats/Nats.ts"))
const JetStreamEventStore = Effect.promise(() => import("#streams/nats/JetStreamEventStore.ts"))
const JetStreamEventReader = Effect.promise(() => import("#streams/nats/JetStreamEventReader.ts"))

/** Where a node keeps the head of the log that it has seen last (`streams/LogHead`). */
export const headFile = (directory: string): Effect.Effect<string> =>
  Effect.map(JetStreamEventStore, (store) => store.headFile(directory))

/** To write, as the node that `directory` belongs to. With the connection, for what else nodes share. */
export const layer = ({ directory, nats }: { readonly nats: NatsOptions; readonly directory: string }) =>
  Layer.unwrap(
    Effect.map(Effect.all([Servers, JetStreamEventStore]), ([{ Nats }, store]) =>
      Layer.merge(store.layerNoDeps(directory), Layer.effect(LogServers, Nats)).pipe(
        Layer.provide(Nats.layer(nats))
      )
    )
  )

/** To read, also while nodes write. */
export const layerReader = (options: NatsOptions) =>
  Layer.unwrap(Effect.map(JetStreamEventReader, (reader) => reader.layer(options)))
