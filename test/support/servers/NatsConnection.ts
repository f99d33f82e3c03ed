/** Connects to servers that may not run yet. */
import { connect, type NatsConnection } from "@nats-io/transport-node"
import { Effect, type Scope } from "effect"

/** Timeout of one request, ms. A server that is starting answers the next one. */
export const patienceMs = 500

/** Makes a request on a connection of its own. Rejects if no server listens. */
export const briefly = async <A>(
  servers: ReadonlyArray<string>,
  ask: (connection: NatsConnection) => Promise<A>
): Promise<A> => {
  const connection = await connect({ servers: [...servers], timeout: patienceMs, reconnect: false })
  try {
    return await ask(connection)
  } finally {
    await connection.close()
  }
}

/** Reconnects whenever the server returns. Closed with the scope. */
export const scoped = (servers: ReadonlyArray<string>): Effect.Effect<NatsConnection, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(() =>
      connect({
        servers: [...servers],
        timeout: patienceMs,
        maxReconnectAttempts: -1,
        reconnectTimeWait: 50,
        reconnectJitter: 0
      })
    ),
    (connection) => Effect.promise(() => connection.close())
  )
