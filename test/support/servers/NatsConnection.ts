/** Connections to servers that may not be there yet. */
import { connect, type NatsConnection } from "@nats-io/transport-node"
import { Effect, type Scope } from "effect"

/** ms that one question may take: what comes up answers the next one. */
export const patienceMs = 500

/** Asks over a connection that is closed afterwards; rejects where nobody listens. */
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

/** Comes back as often as the server does; closed with the scope. */
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
