/** Which of the NATS servers leads the log. */
import { jetstreamManager } from "@nats-io/jetstream"
import { Effect } from "effect"
import { names } from "#streams/nats/NatsOptions.ts"
import * as NatsConnection from "#test/support/servers/NatsConnection.ts"
import * as Until from "#test/support/servers/Until.ts"
import { prefix, World } from "./World.ts"

/** Its name. */
export const ofEvents = Effect.flatMap(World, ({ cluster }) =>
  Until.answers(() =>
    NatsConnection.briefly(
      cluster.servers.map(({ port }) => `127.0.0.1:${port}`),
      async (connection) => {
        const { streams } = await jetstreamManager(connection, { timeout: NatsConnection.patienceMs })
        const { cluster } = await streams.info(names({ prefix }).events.stream)
        if (cluster?.leader === undefined || cluster.leader === "") throw new Error("The log has no leader")
        return cluster.leader
      }
    )
  )
)
