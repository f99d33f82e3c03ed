/**
 * Complete nodes without HTTP: the program's own composition over a log and blobs in memory that several nodes share
 * (`storeLayer`). Each has its own actors, read side, dispatcher and services. Time is the test clock.
 */
import {
  ConfigProvider,
  Context,
  Effect,
  Exit,
  Layer,
  Order,
  References,
  Scope,
  Stream,
  SubscriptionRef
} from "effect"
import * as LedgerProjection from "#projections/ledger/LedgerProjection.ts"
import type { Projection } from "#projections/Projection.ts"
import { Projections } from "#projections/Projections.ts"
import * as Node from "#src/composition/Node.ts"
import { Expectations } from "#src/features/catalog/Expectations.ts"
import type { BuiltinModel } from "#src/features/catalog/models/builtin/BuiltinModel.ts"
import * as BuiltinCatalog from "#src/features/catalog/models/BuiltinCatalog.ts"
import type { Catalog } from "#src/features/catalog/models/Catalog.ts"
import * as Dispatch from "#src/features/dispatch/Layers.ts"
import { SubmitSpans } from "#src/features/dispatch/SubmitSpans.ts"
import * as Sweeping from "#src/features/dispatch/sweep/Sweeping.ts"
import * as ClientFacing from "#src/features/media/storage/ClientFacing.ts"
import { FileSweep } from "#src/features/files/FileSweep.ts"
import type { UploadStore } from "#src/features/media/storage/UploadStore.ts"
import type { Provider } from "#src/features/providers/Provider.ts"
import { Providers } from "#src/features/providers/Providers.ts"
import * as PullProvider from "#src/features/providers/pull/PullProvider.ts"
import { WorkerKeys } from "#src/features/providers/workers/WorkerKeys.ts"
import * as Webhooks from "#src/features/webhooks/Layers.ts"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import { Lease } from "#src/platform/cluster/Lease.ts"
import { Nodes } from "#src/platform/cluster/Nodes.ts"
import { SharedLog } from "#src/platform/cluster/SharedLog.ts"
import * as DueWorkLoop from "#src/platform/reactors/DueWorkLoop.ts"
import * as Telemetry from "#src/platform/telemetry/otlp/Telemetry.ts"
import type { BlobStore } from "#streams/BlobStore.ts"
import * as MemoryBlobStore from "#streams/MemoryBlobStore.ts"
import * as MemoryEventStore from "#streams/MemoryEventStore.ts"
import * as OutboundGuard from "#test/support/src/kernel/outbound/OutboundGuard.ts"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"
import * as AppendFaults from "./AppendFaults.ts"
import * as OutputChunks from "./OutputChunks.ts"
import * as TempDirectory from "./TempDirectory.ts"
import * as TestCatalog from "./TestCatalog.ts"
import { TestAccounts } from "./TestAccounts.ts"
import { models as testModels } from "./TestModels.ts"
import { TestProvider } from "./TestProvider.ts"

export interface NodeOptions {
  readonly name?: string
  readonly models?: ReadonlyArray<BuiltinModel>
  /** A catalog that exists already, for tests that start many nodes. Replaces the models. */
  readonly catalog?: Layer.Layer<Catalog>
  /** The catalog that the test publishes with `Publishing`. Replaces both, and needs the projection of the catalog. */
  readonly catalogOnLog?: boolean
  /** The node's providers, made from the test's provider; by default only that one, for the server's own models. */
  readonly providers?: (provider: Provider) => ReadonlyArray<Provider>
  /** Whether workers fetch jobs from it, for models that are bound to `pull`. */
  readonly pulls?: boolean
  /** Without a dispatcher, requests are never run and their deadlines not applied. */
  readonly dispatches?: boolean
  /** Whether it follows the events of other nodes, with its actors and its reactions, as one of several nodes does. */
  readonly follows?: boolean
  /** Whether it sweeps every minute of the test clock; by default only when the test calls the `Sweeper`. */
  readonly sweeps?: boolean
  /** The server to which clients upload; by default this node. */
  readonly uploads?: Layer.Layer<UploadStore, never, BlobStore>
  /** The guard of its outbound calls, which trusts the test's authority. */
  readonly guard?: OutboundGuard.GuardOptions
  /** Whether it sends webhooks. Needs all projections. */
  readonly delivers?: boolean
  /** The ledger is always included. */
  readonly projections?: ReadonlyArray<Projection>
}

export interface LiveNode {
  readonly name: string
  /** Other nodes get no turns, because in a program every node dispatches. */
  readonly dispatches: boolean
}

/** The live nodes in the order of their names; equal on all nodes. */
class LiveNodes extends Context.Service<
  LiveNodes,
  SubscriptionRef.SubscriptionRef<ReadonlyArray<LiveNode>>
>()("inferlog/test/LiveNodes") {}

/** The state that all nodes of a test share. */
export const storeLayer = Layer.mergeAll(
  TestAccounts.layer.pipe(Layer.provideMerge(MemoryEventStore.layer)),
  MemoryBlobStore.layer,
  OutputChunks.store,
  TestProvider.layer("builtin"),
  Layer.effect(LiveNodes, SubscriptionRef.make<ReadonlyArray<LiveNode>>([]))
)

const byName = Order.mapInput(Order.String, ({ name }: LiveNode) => name)

const identity = (self: LiveNode) =>
  Layer.effect(
    Nodes,
    Effect.gen(function* () {
      const nodes = yield* LiveNodes
      yield* SubscriptionRef.update(nodes, (live) => [...live, self].sort(byName))
      const all = () => SubscriptionRef.getUnsafe(nodes)
      return {
        self: self.name,
        isAlive: (node: string) => all().some(({ name }) => name === node),
        live: () =>
          all()
            .filter(({ dispatches, name }) => dispatches || name === self.name)
            .map(({ name }) => name),
        changes: Stream.map(SubscriptionRef.changes(nodes), () => undefined)
      }
    })
  )

/** The first live node holds it. */
const lease = Layer.effect(
  Lease,
  Effect.gen(function* () {
    const nodes = yield* LiveNodes
    const { self } = yield* Nodes
    return {
      isHeld: Effect.map(SubscriptionRef.get(nodes), ([first]) => first?.name === self),
      gains: Stream.map(SubscriptionRef.changes(nodes), () => undefined)
    }
  })
)

/** In process, without the thread of the program and what watches it. */
const readSide = (projections: ReadonlyArray<Projection> | undefined) =>
  Layer.unwrap(
    Effect.map(DataDirectory, (directory) =>
      Projections.layerInProcess({
        filename: `${directory}/projections.sqlite`,
        ...(projections === undefined ? {} : { projections: [...projections, LedgerProjection.projection] })
      })
    )
  )

const publicUrls = PublicUrls.layerOf({
  queueUrl: "https://queue.test",
  baseUrl: "https://api.test",
  mediaUrl: "https://media.test",
  mcpUrl: "https://mcp.test"
})

const only = (provider: Provider): ReadonlyArray<Provider> => [provider]

const providersOf = (make: NonNullable<NodeOptions["providers"]>, pulls: boolean) =>
  Layer.unwrap(
    Effect.gen(function* () {
      if (pulls) return Providers.layerOf([yield* PullProvider.make])
      const { provider } = yield* TestProvider
      return Providers.layerOf(make(provider))
    })
  )

/** Before what the environment says. Without ffmpeg, so films get no thumbnails. */
const settings = ConfigProvider.layerAdd(
  ConfigProvider.fromUnknown({ MASTER_KEY: Buffer.alloc(32).toString("hex"), PATH: "" }),
  { asPrimary: true }
)

/** One node that uses the store of the test. */
export const nodeLayer = ({
  name = "node",
  models = Object.values(testModels),
  catalog = BuiltinCatalog.layerOf(models),
  catalogOnLog = false,
  providers = only,
  pulls = false,
  dispatches = true,
  follows = false,
  sweeps = false,
  uploads,
  guard,
  delivers = false,
  projections
}: NodeOptions = {}) => {
  const node = Node.layerWith({
    ...Node.parts,
    reactors: Layer.mergeAll(
      dispatches ? Dispatch.layerDispatching : Layer.empty,
      Dispatch.layerElsewhere,
      sweeps ? Sweeping.layer : Layer.empty,
      delivers ? Webhooks.layerSending : Layer.empty
    ),
    providers: providersOf(providers, pulls),
    publishes: Layer.empty,
    waiting: Expectations.layerEmpty,
    cluster: lease.pipe(Layer.provideMerge(identity({ name, dispatches }))),
    transfers: uploads === undefined ? Node.parts.transfers : Layer.merge(uploads, ClientFacing.proxied),
    outbound: OutboundGuard.layer({ authorities: [Receiver.authority], ...guard }),
    observers: Layer.empty,
    catalog: TestCatalog.contents(catalogOnLog ? null : catalog),
    beside: publicUrls,
    store: Layer.merge(AppendFaults.layer, SharedLog.layerOf(follows)),
    projections: readSide(projections)
  })
  return Layer.mergeAll(TestAccounts.funded, WorkerKeys.layer, FileSweep.layer).pipe(
    Layer.provideMerge(node),
    Layer.provide([SubmitSpans.layer, Telemetry.untraced]),
    Layer.provide(TempDirectory.provide(DataDirectory.layerAt)),
    Layer.provide(settings),
    Layer.provide(Layer.succeed(References.MinimumLogLevel, "None")),
    // Tests count yields, in which no real time passes.
    Layer.provide(Layer.succeed(DueWorkLoop.MovePace, 0))
  )
}

/** The only node of a test, and its store. */
export const layer = (options: NodeOptions = {}) => nodeLayer(options).pipe(Layer.provideMerge(storeLayer))

export type NodeServices = Layer.Success<ReturnType<typeof nodeLayer>>

/** One of several nodes. */
export interface TestNode {
  /** Runs an effect on this node. */
  readonly on: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, Exclude<R, NodeServices>>
  /** Stops the node gracefully. */
  readonly stop: Effect.Effect<void>
  /** From now on no append of the node reaches the log, and the other nodes count it as dead. */
  readonly crash: Effect.Effect<void>
  /** Reverses `crash`: the node had only been cut off and writes again. */
  readonly revive: Effect.Effect<void>
}

export const start = Effect.fnUntraced(function* (options: NodeOptions & { readonly name: string }) {
  const live = yield* LiveNodes
  const scope = yield* Effect.acquireRelease(Scope.make(), (scope, exit) => Scope.close(scope, exit))
  const context = yield* Layer.buildWithScope(nodeLayer({ follows: true, ...options }), scope)
  const faults = Context.get(context, AppendFaults.AppendFaults)
  const forget = SubscriptionRef.update(live, (nodes) => nodes.filter(({ name }) => name !== options.name))
  const node: TestNode = {
    on: (effect) => Effect.provide(effect, context),
    stop: Effect.andThen(Scope.close(scope, Exit.void), forget),
    crash: Effect.andThen(
      Effect.sync(() => faults.decide(() => "refused")),
      forget
    ),
    revive: Effect.sync(() => faults.decide(() => "stored"))
  }
  return node
})
