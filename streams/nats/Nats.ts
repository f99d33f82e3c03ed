/**
 * The connection to the NATS servers. It reconnects without end. Calls in progress fail when it breaks, and their callers
 * retry them.
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

/** No server answers or accepts the login. */
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
     * Whether there is a connection, as far as is known (a hanging server is detected within seconds), and its log has been
     * checked.
     */
    readonly isUp: () => boolean
    /**
     * Runs `vet` after each reconnect, until it ends or the connection is lost again. The connection counts as down until
     * `vet` returns `true`, so that nothing is sent to servers with another log.
     */
    readonly vetReconnects: (vet: Effect.Effect<boolean>) => Effect.Effect<void>
    /** How long the connection has been down, ms. 0 while it is up. */
    readonly downMs: () => number
    /**
     * The result of a call. Fails like the call, and at once when the connection is lost: the call may still take effect.
     */
    readonly request: <A>(call: () => Promise<A>) => Effect.Effect<A, unknown>
    /** Emits after each checked reconnect. */
    readonly reconnects: Stream.Stream<void>
  }
>()("inferlog/streams/nats/Nats") {
  /** Waits some time for a server, so that nodes and servers may be started together. */
  static readonly layer = (
    options: NatsOptions
  ): Layer.Layer<Nats, NatsUnreachable | ServerVersion.NatsTooOld> => Layer.effect(Nats, make(options))
}

/** The ping interval, and the number of unanswered pings after which the connection is closed. */
const pingIntervalMs = 2_000
const maxPings = 2

/** Timeout of a connection attempt, ms. */
const connectMs = 3_000

/** Timeout of a call, ms. */
const callMs = 3_000

/** How long a start waits for a server. */
const startRetries = { schedule: Schedule.spaced("500 millis"), times: 60 }

/** The largest append that a server must accept, bytes: NATS's default. */
const minPayload = 1024 * 1024

/** Errors that waiting does not fix: a rejected login, a missing credentials file. */
const isPermanent = ({ cause }: NatsUnreachable): boolean =>
  cause instanceof AuthorizationError ||
  (cause instanceof Error && "code" in cause && cause.code === "ENOENT")

const authenticator = async ({ credentials }: NatsOptions): Promise<Authenticator | undefined> =>
  credentials === null ? undefined : credsAuthenticator(await fs.readFile(credentials))

/** Reconnects without end. */
export const connectionOptions = async (options: NatsOptions): Promise<ConnectionOptions> => {
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
    maxPingOut: maxPings,
    // A login may be rejected for a while, for instance while the servers' users are changed. Reconnecting continues.
    ignoreAuthErrorAbort: true
  }
}

/** Logs once what the start waits for. */
const logWaiting = () => {
  let isLogged = false
  return (error: NatsUnreachable) => {
    if (isLogged || isPermanent(error)) return Effect.void
    isLogged = true
    return Effect.annotateLogs(Effect.logWarning("Waiting for a NATS server"), { reason: error.message })
  }
}

/** A try is not interrupted; the pause between tries is. */
const open = (options: NatsOptions): Effect.Effect<NatsConnection, NatsUnreachable, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: async () => connect(await connectionOptions(options)),
      catch: (cause) => new NatsUnreachable({ servers: options.servers, cause })
    }),
    (connection) => Effect.promise(() => connection.close())
  ).pipe(
    Effect.tapError(logWaiting()),
    Effect.retry({ ...startRetries, while: (error) => !isPermanent(error) })
  )

/** Fails when the server does not accept the largest append. */
export const checkPayload = ({ info }: NatsConnection, { servers }: NatsOptions) => {
  const found = info?.max_payload ?? 0
  if (found >= minPayload) return Effect.void
  const cause = new Error(`its max_payload is ${found}, but at least ${minPayload} is required`)
  return new NatsUnreachable({ servers, cause })
}

const make = Effect.fnUntraced(function* (options: NatsOptions) {
  const connection = yield* open(options)
  yield* ServerVersion.check(connection, options)
  yield* checkPayload(connection, options)
  const jsm = yield* Effect.tryPromise({
    try: () => jetstreamManager(connection, { timeout: callMs }),
    catch: (cause) => new NatsUnreachable({ servers: options.servers, cause })
  }).pipe(Effect.retry(startRetries))
  const reconnects = yield* PubSub.sliding<void>(1)
  /** On the process's monotonic clock: `downMs` is no effect, and the time of day may jump. */
  let downSince: number | null = null
  /** Ends calls that wait for an answer. */
  const pendingCalls = new Set<() => void>()
  let vet: Effect.Effect<boolean> = Effect.succeed(true)
  const vetting = yield* FiberHandle.make()

  const onReconnect = Effect.gen(function* () {
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
            pendingCalls.forEach((fail) => fail())
            return Effect.andThen(
              FiberHandle.clear(vetting),
              Effect.logWarning("The connection to the NATS servers is lost; reconnecting")
            )
          case "reconnect":
            return FiberHandle.run(vetting, onReconnect)
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
          pendingCalls.delete(fail)
          resume(end)
        }
        pendingCalls.add(fail)
        call().then(
          (answer) => settle(Effect.succeed(answer)),
          (cause: unknown) => settle(Effect.fail(cause))
        )
        return Effect.sync(() => pendingCalls.delete(fail))
      }),
    reconnects: Stream.fromPubSub(reconnects)
  })
})
