/** Finds the server that leads a stream. */
import { jetstreamManager } from "@nats-io/jetstream"
import type { Effect } from "effect"
import type { Cluster } from "./NatsCluster.ts"
import * as NatsConnection from "./NatsConnection.ts"
import type { NatsProcess } from "./NatsProcess.ts"
import * as Until from "./Until.ts"

/** Waits until the stream has a leader. */
export const of = (cluster: Pick<Cluster, "named" | "servers">, stream: string): Effect.Effect<NatsProcess> =>
  Until.answers(() =>
    NatsConnection.briefly(
      cluster.servers.map(({ port }) => `127.0.0.1:${port}`),
      async (connection) => {
        const { streams } = await jetstreamManager(connection, { timeout: NatsConnection.patienceMs })
        const info = await streams.info(stream)
        if (!info.cluster?.leader) throw new Error(`${stream} has no leader`)
        return cluster.named(info.cluster.leader)
      }
    )
  )
