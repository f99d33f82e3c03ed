/** Nodes of a cluster as the servers see them: each with its own connection, all in one process. */
import { Cause, Context, Effect, Exit, Layer, Logger, References, Result, Scope, Stream } from "effect"
import { Nats } from "#streams/nats/Nats.ts"
import { type NatsOptions, parse } from "#streams/nats/NatsOptions.ts"
import { Lease } from "#src/platform/cluster/Lease.ts"
import * as NatsLease from "#src/platform/cluster/NatsLease.ts"
import * as NatsNodes from "#src/platform/cluster/NatsNodes.ts"
import { NodeReports } from "#src/platform/cluster/NodeReports.ts"
import { Nodes } from "#src/platform/cluster/Nodes.ts"
import * as Until from "#test/support/Until.ts"

/** The servers' address with a prefix for one test. */
export const options = (url: string, prefix: string, query = ""): NatsOptions =>
  Result.getOrThrow(parse(`${url}?prefix=${prefix}${query}`))

/** Short times in ms, for tests that do not depend on them. */
export const quick = { beatMs: 200, deadMs: 1_200, ttlMs: 2_000 }
export const quickLease = { renewMs: 250, heldMs: 1_200, ttlMs: 2_000 }

export interface ClusterNode {
  readonly nodes: Nodes["Service"]
  readonly lease: Lease["Service"]
  readonly nats: Nats["Service"]
  readonly reports: typeof NodeReports.Service
  /** Its log lines. */
  readonly logged: ReadonlyArray<string>
  /** Stops gracefully. */
  readonly stop: Effect.Effect<void>
}

export interface StartOptions {
  readonly nats: NatsOptions
  readonly nodes?: Partial<NatsNodes.NatsNodesOptions>
  readonly lease?: Partial<NatsLease.NatsLeaseOptions>
}

export const start = Effect.fnUntraced(function* ({ lease = quickLease, nats, nodes = quick }: StartOptions) {
  const logged: Array<string> = []
  const logger = Logger.layer([
    Logger.make(({ cause, message }) => void logged.push(`${String(message)} ${Cause.pretty(cause)}`))
  ])
  const scope = yield* Effect.acquireRelease(Scope.make(), (scope, exit) => Scope.close(scope, exit))
  const context = yield* NatsLease.layerWith(lease).pipe(
    Layer.provideMerge(NatsNodes.layerWith(nodes)),
    Layer.provideMerge(Nats.layer(nats)),
    Layer.provideMerge(Layer.merge(logger, Layer.succeed(References.MinimumLogLevel, "Debug"))),
    Layer.buildWithScope(scope)
  )
  const node: ClusterNode = {
    nodes: Context.get(context, Nodes),
    lease: Context.get(context, Lease),
    nats: Context.get(context, Nats),
    reports: Context.get(context, NodeReports),
    logged,
    stop: Scope.close(scope, Exit.void)
  }
  return node
})

/** Waits until exactly these nodes are alive for the node. */
export const untilLive = ({ nodes }: Pick<ClusterNode, "nodes">, expected: ReadonlyArray<string>) => {
  const names = [...expected].sort().join()
  const lives = Stream.make(undefined).pipe(Stream.concat(nodes.changes), Stream.map(nodes.live))
  return Until.first(`live nodes ${names}`, lives, (live) => live.join() === names, Until.processes)
}

/** The live nodes at each change from now on, until the scope ends. */
export const history = Effect.fnUntraced(function* ({ nodes }: ClusterNode) {
  const seen: Array<ReadonlyArray<string>> = [nodes.live()]
  yield* Effect.forkScoped(
    Stream.runForEach(nodes.changes, () => Effect.sync(() => void seen.push(nodes.live())))
  )
  return seen
})

/** Polls for a fact without a notification. */
export const until = (isSo: Effect.Effect<boolean>) =>
  Until.polled("a fact of the cluster", isSo, (so) => so, Until.processes)
