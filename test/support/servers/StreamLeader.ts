/** The servers of a stream: its leader, and whether the others have caught up. */
import { jetstreamManager, type StreamInfo } from "@nats-io/jetstream"
import type { Effect } from "effect"
import type { Cluster } from "./NatsCluster.ts"
import * as NatsConnection from "./NatsConnection.ts"
import type { NatsProcess } from "./NatsProcess.ts"
import * as Until from "../Until.ts"

/** Asks until `find` returns a result. */
const asked = <A>(
  { servers }: Pick<Cluster, "servers">,
  stream: string,
  find: (cluster: NonNullable<StreamInfo["cluster"]>) => A
): Effect.Effect<A> =>
  Until.answers(
    () =>
      NatsConnection.briefly(
        servers.map(({ port }) => `127.0.0.1:${port}`),
        async (connection) => {
          const { streams } = await jetstreamManager(connection, { timeout: NatsConnection.patienceMs })
          const { cluster } = await streams.info(stream)
          if (!cluster?.leader) throw new Error(`${stream} has no leader`)
          return find(cluster)
        }
      ),
    Until.processes
  )

/** Waits until the stream has a leader. */
export const of = (cluster: Pick<Cluster, "named" | "servers">, stream: string): Effect.Effect<NatsProcess> =>
  asked(cluster, stream, ({ leader = "" }) => cluster.named(leader))

/** Waits until every server of the stream has all of it, so that any of them may fail. */
export const whole = (cluster: Pick<Cluster, "servers">, stream: string): Effect.Effect<void> =>
  asked(cluster, stream, ({ replicas = [] }) => {
    if (!replicas.every(({ current, offline }) => current && offline !== true))
      throw new Error(`a server of ${stream} has not caught up`)
  })
