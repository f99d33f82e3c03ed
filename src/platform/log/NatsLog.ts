/** The log on NATS JetStream. The client is loaded only when it is used, because loading slows short commands. */
import { Context, Effect, Layer, Schema } from "effect"
import { LogServers } from "#src/platform/cluster/LogServers.ts"
import { type HeadDigest, FollowedHead } from "#streams/FollowedHead.ts"
import type { Nats } from "#streams/nats/Nats.ts"
import type { NatsOptions } from "#streams/nats/NatsOptions.ts"
import { holdsLog } from "#src/kernel/disk/DataDirectory.ts"

const Servers = Effect.promise(() => import("#streams/nats/Nats.ts"))
const JetStreamEventStore = Effect.promise(() => import("#streams/nats/JetStreamEventStore.ts"))
const JetStreamEventReader = Effect.promise(() => import("#streams/nats/JetStreamEventReader.ts"))

/** The file in which a node stores the last head of the log that it has seen (`streams/LogHead`). */
export const headFile = (directory: string): Effect.Effect<string> =>
  Effect.map(JetStreamEventStore, (store) => store.headFile(directory))

/** The read models in the directory have positions of its own log. On another log they would skip events. */
export class HasOwnLog extends Schema.TaggedError<HasOwnLog>()("HasOwnLog", { directory: Schema.String }) {
  override get message(): string {
    return `DATA_DIR: ${this.directory} has a log of its own, but EVENT_STORE selects a log on NATS servers: set DATA_DIR to a new directory`
  }
}

const refuseOwnLog = Effect.fnUntraced(function* (directory: string) {
  if (holdsLog(directory)) return yield* new HasOwnLog({ directory })
})

export interface NodeOptions {
  readonly nats: NatsOptions
  /** The data directory of this node. */
  readonly directory: string
  /** What another node has seen of the log. It saves a new node from reading the whole log. */
  readonly sharedHead: Effect.Effect<HeadDigest | null, never, Nats>
}

/** For writing, as the node that owns `directory`. Includes the other state that nodes share. */
export const layer = ({ directory, nats, sharedHead }: NodeOptions) =>
  Layer.unwrap(
    Effect.map(Effect.all([Servers, JetStreamEventStore]), ([{ Nats }, store]) => {
      const servers = Layer.effect(
        LogServers,
        Effect.map(Effect.all([Nats, FollowedHead]), ([nats, seen]) =>
          Context.make(Nats, nats).pipe(Context.add(FollowedHead, seen))
        )
      )
      const log = Layer.unwrap(
        Effect.map(Nats, (nats) =>
          store.layerNoDeps({ directory, sharedHead: Effect.provideService(sharedHead, Nats, nats) })
        )
      )
      return servers.pipe(
        Layer.provideMerge(log),
        Layer.provide(Nats.layer(nats)),
        Layer.provide(Layer.effectDiscard(refuseOwnLog(directory)))
      )
    })
  )

/** For reading, also while nodes write. */
export const layerReader = (options: NatsOptions) =>
  Layer.unwrap(Effect.map(JetStreamEventReader, (reader) => reader.layer(options)))
