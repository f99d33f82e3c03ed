/** Looks once at the servers of a log, without waiting for them and without changing anything. */
import { JetStreamApiError, jetstreamManager, type JetStreamManager } from "@nats-io/jetstream"
import { connect } from "@nats-io/transport-node"
import { Effect } from "effect"
import { checkPayload, connectionOptions, NatsUnreachable } from "./Nats.ts"
import type { NatsOptions } from "./NatsOptions.ts"
import * as NatsStreams from "./NatsStreams.ts"
import * as ServerVersion from "./ServerVersion.ts"

export interface Probed {
  /** Of the connected server. */
  readonly version: string
  /** Sequence number of the log's last message; `null` when the first node has not made the log yet. */
  readonly lastSequence: number | null
  /** Names of servers that store the log and are away or behind. */
  readonly lagging: ReadonlyArray<string>
}

/** Time limit of a call, ms. */
const callMs = 3_000

const connection = (options: NatsOptions) =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: async () => connect({ ...(await connectionOptions(options)), reconnect: false }),
      catch: (cause) => new NatsUnreachable({ servers: options.servers, cause })
    }),
    (connection) => Effect.promise(() => connection.close())
  )

/** `null` when there is no such stream. */
const streamOf = (jsm: JetStreamManager, name: string) =>
  Effect.tryPromise({
    try: () => jsm.streams.info(name),
    catch: (cause) => new NatsStreams.NatsStreamUnavailable({ stream: name, cause })
  }).pipe(
    Effect.catchIf(
      ({ cause }) => cause instanceof JetStreamApiError && cause.code === NatsStreams.notFound,
      () => Effect.succeed(null)
    )
  )

/** Fails as a node's start would. */
export const look = Effect.fn("NatsProbe.look")(function* (options: NatsOptions) {
  const connected = yield* connection(options)
  yield* ServerVersion.check(connected, options)
  yield* checkPayload(connected, options)
  const jsm = yield* Effect.tryPromise({
    try: () => jetstreamManager(connected, { timeout: callMs }),
    catch: (cause) => new NatsUnreachable({ servers: options.servers, cause })
  })
  const wanted = [NatsStreams.payloadsConfig(options), NatsStreams.eventsConfig(options)]
  const found = yield* Effect.forEach(wanted, (config) =>
    Effect.tap(streamOf(jsm, config.name), (info) =>
      info === null ? Effect.void : NatsStreams.compare(config, info.config)
    )
  )
  const lagging = found.flatMap((info) =>
    (info?.cluster?.replicas ?? []).flatMap(({ current, name, offline }) =>
      current && offline !== true ? [] : [name]
    )
  )
  return {
    version: connected.info?.version ?? "unknown",
    lastSequence: found.at(-1)?.state.last_seq ?? null,
    lagging: [...new Set(lagging)]
  } satisfies Probed
}, Effect.scoped)
