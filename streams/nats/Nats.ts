/**
 * One connection to the NATS servers. It comes back by itself, for ever: what is under way when it breaks fails, and is
 * tried again by whoever needs it.
 */
import * as fs from "node:fs/promises"
import { jetstream, type JetStreamClient, jetstreamManager, type JetStreamManager } from "@nats-io/jetstream"
import {
  type Authenticator,
  AuthorizationError,
  connect,
  type ConnectionOptions,
  credsAuthenticator,
  type NatsConnection
} from "@nats-io/transport-node"
import { Context, Effect, FiberHandle, Layer, PubSub, Schedule, Schema, type Scope, Stream } from "effect"
import * as NatsFailure from "./NatsFailure.ts"
import type { NatsOptions } from "./NatsOptions.ts"
import * as ServerVersion from "./ServerVersion.ts"

/** No server answers, or none that lets us in. */
export class NatsUnreachable extends Schema.TaggedError<NatsUnreachable>()("NatsUnreachable", {
  servers: Schema.Array(Schema.String),
  cause: Schema.Defect()
}) {
  override get message(): string {
    const why = NatsFailure.reasonOf(this.cause)
    return `No NATS server with JetStream can be used at ${this.servers.join(", ")}: ${why}`
  }
}

export class Nats extends Context.Service<
  Nats,
  {
    readonly options: NatsOptions
    readonly connection: NatsConnection
    readonly js: JetStreamClient
    readonly jsm: JetStreamManager
    /**
     * Whether there is a connection now, as far as is known (a server that hangs is found out within seconds), and what is
     * behind it has been vetted.
     */
    readonly isUp: () => boolean
    /**
     * Runs after each reconnect, until it ends or the connection is lost again. Until it gives `true` the connection counts
     * as down, so that nothing is sent to servers that are not the ones from before.
     */
    readonly vetReconnects: (vet: Effect.Effect<boolean>) => Effect.Effect<void>
    /** For how long there has been none, ms; 0 while there is one. */
    readonly downMs: () => number
    /** The answer to a call. Fails as the call does, and at once when the connection is lost: the call may yet take place. */
    readonly request: <A>(call: () => Promise<A>) => Effect.Effect<A, unknown>
    /** Emits after each reconnect that was vetted. */
    readonly reconnects: Stream.Stream<void>
  }
>()("inferlog/streams/nats/Nats") {
  /** Waits for a server for a while, so that nodes and servers may be started together. */
  static readonly layer = (
    options: NatsOptions
  ): Layer.Layer<Nats, NatsUnreachable | ServerVersion.NatsTooOld> => Layer.effect(Nats, make(options))
}

/** How often a server that hangs is pinged, and how many pings it may leave without an answer. */
const pingIntervalMs = 2_000
const mostPings = 2

/** How long a server has to take a connection, ms. */
const connectMs = 3_000

/** How long a call waits for its answer, ms. */
const callMs = 3_000

/** How long a start waits for a server. */
const patience = { schedule: Schedule.spaced("500 millis"), times: 60 }

/** Bytes of the largest append that a server has to take: what it takes by default. */
const leastPayload = 1024 * 1024

/** What waiting does not help against: a login that is refused, a credentials file that is not there. */
const isHopeless = ({ cause }: NatsUnreachable): boolean =>
  cause instanceof AuthorizationError ||
  (cause instanceof Error && "code" in cause && cause.code === "ENOENT")

const authenticator = async ({ credentials }: NatsOptions): Promise<Authenticator | undefined> =>
  credentials === null ? undefined : credsAuthenticator(await fs.readFile(credentials))

const connectionOptions = async (options: NatsOptions): Promise<ConnectionOptions> => {
  const { ca, password, servers, tls, token, user } = options
  const authenticates = await authenticator(options)
  return {
    servers: [...servers],
    name: "inferlog",
    ...(user !== null && { user }),
    ...(password !== null && { pass: password }),
    ...(token !== null && { token }),
    ...(authenticates && { authenticator: authenticates }),
    ...(tls && { tls: ca === null ? {} : { caFile: ca } }),
    timeout: connectMs,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    pingInterval: pingIntervalMs,
    maxPingOut: mostPings,
    // A login that is refused for a while, as while the servers' users are changed, is no reason to give up either.
    ignoreAuthErrorAbort: true
  }
}

/** Tells once what is waited for. */
const tellWaiting = () => {
  let isTold = false
  return (error: NatsUnreachable) => {
    if (isTold || isHopeless(error)) return Effect.void
    isTold = true
    return Effect.annotateLogs(Effect.logWarning("Waiting for a NATS server"), { reason: error.message })
  }
}

/** A try is not interrupted, and what is waited between them is. */
const open = (options: NatsOptions): Effect.Effect<NatsConnection, NatsUnreachable, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: async () => connect(await connectionOptions(options)),
      catch: (cause) => new NatsUnreachable({ servers: options.servers, cause })
    }),
    (connection) => Effect.promise(() => connection.close())
  ).pipe(Effect.tapError(tellWaiting()), Effect.retry({ ...patience, while: (error) => !isHopeless(error) }))

const checkPayload = ({ info }: NatsConnection, { servers }: NatsOptions) => {
  const found = info?.max_payload ?? 0
  if (found >= leastPayload) return Effect.void
  const cause = new Error(`its max_payload is ${found}, and ${leastPayload} or more is needed`)
  return new NatsUnreachable({ servers, cause })
}

const make = Effect.fnUntraced(function* (options: NatsOptions) {
  const connection = yield* open(options)
  yield* ServerVersion.check(connection, options)
  yield* checkPayload(connection, options)
  const jsm = yield* Effect.tryPromise({
    try: () => jetstreamManager(connection, { timeout: callMs }),
    catch: (cause) => new NatsUnreachable({ servers: options.servers, cause })
  }).pipe(Effect.retry(patience))
  const reconnects = yield* PubSub.sliding<void>(1)
  /** By the process's own clock: `downMs` is no effect, and the time of day may jump. */
  let downSince: number | null = null
  /** Ends the calls that wait for their answers. */
  const asking = new Set<() => void>()
  let vet: Effect.Effect<boolean> = Effect.succeed(true)
  const vetting = yield* FiberHandle.make()

  const comeBack = Effect.gen(function* () {
    if (!(yield* vet)) return
    downSince = null
    yield* Effect.logInfo("The connection to the NATS servers is back")
    yield* PubSub.publish(reconnects, undefined)
  })

  yield* Effect.forkScoped(
    Stream.fromAsyncIterable(connection.status(), (cause) => cause).pipe(
      Stream.runForEach((status) => {
        switch (status.type) {
          case "disconnect":
            downSince ??= performance.now()
            asking.forEach((fail) => fail())
            return Effect.andThen(
              FiberHandle.clear(vetting),
              Effect.logWarning("The connection to the NATS servers is lost; it is being made again")
            )
          case "reconnect":
            return FiberHandle.run(vetting, comeBack)
          case "error":
            return Effect.logWarning("A NATS server has reported an error", status.error.message)
          default:
            return Effect.void
        }
      }),
      Effect.ignore
    )
  )

  return Nats.of({
    options,
    connection,
    js: jetstream(connection, { timeout: callMs }),
    jsm,
    isUp: () => downSince === null && !connection.isClosed(),
    vetReconnects: (check) =>
      Effect.sync(() => {
        vet = check
      }),
    downMs: () => {
      if (connection.isClosed()) return Infinity
      return downSince === null ? 0 : performance.now() - downSince
    },
    request: <A>(call: () => Promise<A>) =>
      Effect.callback<A, unknown>((resume) => {
        const fail = () => settle(Effect.fail(new Error("the connection to the NATS servers was lost")))
        const settle = (end: Effect.Effect<A, unknown>) => {
          asking.delete(fail)
          resume(end)
        }
        asking.add(fail)
        call().then(
          (answer) => settle(Effect.succeed(answer)),
          (cause: unknown) => settle(Effect.fail(cause))
        )
        return Effect.sync(() => asking.delete(fail))
      }),
    reconnects: Stream.fromPubSub(reconnects)
  })
})
