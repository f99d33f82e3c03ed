/**
 * Complete nodes without HTTP, made of real parts: a log and blobs in memory that several nodes share (`storeLayer`),
 * and each node's own actors, read side, dispatcher and services. Time is the test clock.
 */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Context, Effect, Exit, Layer, Order, References, Scope, Stream, SubscriptionRef } from "effect"
import { Deliveries } from "#projections/deliveries/Deliveries.ts"
import { DueDeliveries } from "#projections/deliveries/DueDeliveries.ts"
import { DueWork } from "#projections/due-work/DueWork.ts"
import { Files } from "#projections/files/Files.ts"
import { Ledger } from "#projections/ledger/Ledger.ts"
import * as LedgerProjection from "#projections/ledger/LedgerProjection.ts"
import type { Projection } from "#projections/Projection.ts"
import { Projections } from "#projections/Projections.ts"
import { ReadModels } from "#projections/ReadModels.ts"
import { AccountActors } from "#src/features/accounts/AccountActors.ts"
import { ConsoleSessionActors } from "#src/features/accounts/sessions/ConsoleSessionActors.ts"
import { Accounts } from "#src/features/accounts/Accounts.ts"
import { Authentication } from "#src/features/accounts/Authentication.ts"
import { Expectations } from "#src/features/catalog/Expectations.ts"
import { Funds } from "#src/features/funds/Funds.ts"
import { FileActors } from "#src/features/media/storage/FileActors.ts"
import { RemoteMedia } from "#src/features/media/RemoteMedia.ts"
import { Thumbnails } from "#src/features/media/Thumbnails.ts"
import type { BuiltinModel } from "#src/features/catalog/models/builtin/BuiltinModel.ts"
import * as BuiltinCatalog from "#src/features/catalog/models/BuiltinCatalog.ts"
import type { Catalog } from "#src/features/catalog/models/Catalog.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import { VisionWorkers } from "#src/features/media/vision/VisionWorkers.ts"
import * as FollowedOutput from "#src/features/live-output/FollowedOutput.ts"
import { LiveRuns } from "#src/features/live-output/LiveRuns.ts"
import { ProviderHealth } from "#src/features/provider-health/ProviderHealth.ts"
import type { Provider } from "#src/features/providers/Provider.ts"
import { Providers } from "#src/features/providers/Providers.ts"
import * as PullProvider from "#src/features/providers/pull/PullProvider.ts"
import { DeadlineHints } from "#src/features/requests/DeadlineHints.ts"
import * as Deadlines from "#src/features/dispatch/deadlines/Deadlines.ts"
import * as Dispatcher from "#src/features/dispatch/Dispatcher.ts"
import { Runs } from "#src/features/dispatch/Runs.ts"
import { Finalizer } from "#src/features/dispatch/finalize/Finalizer.ts"
import { Lease } from "#src/platform/cluster/Lease.ts"
import { Nodes } from "#src/platform/cluster/Nodes.ts"
import * as DeliverySender from "#src/features/webhooks/deliveries/DeliverySender.ts"
import * as Recoveries from "#src/features/webhooks/deliveries/Recoveries.ts"
import * as OtherNodes from "#src/features/dispatch/OtherNodes.ts"
import { Sweeper } from "#src/features/dispatch/sweep/Sweeper.ts"
import * as Sweeping from "#src/features/dispatch/sweep/Sweeping.ts"
import * as ActorRequests from "#src/features/requests/ActorRequests.ts"
import * as DueWorkLoop from "#src/platform/reactors/DueWorkLoop.ts"
import * as FollowedActors from "#src/composition/FollowedActors.ts"
import { IdempotencyKeyActors } from "#src/features/requests/IdempotencyKeyActors.ts"
import { QueueDepth } from "#src/features/requests/QueueDepth.ts"
import { RequestActors } from "#src/features/requests/RequestActors.ts"
import { RequestChanges } from "#src/features/requests/RequestChanges.ts"
import { MasterKey } from "#src/kernel/secrets/MasterKey.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"
import { DeliveryActors } from "#src/features/webhooks/DeliveryActors.ts"
import { RecoveryActors } from "#src/features/webhooks/RecoveryActors.ts"
import { WorkerKeyActors } from "#src/features/providers/workers/WorkerKeyActors.ts"
import { SigningSecrets } from "#src/features/webhooks/SigningSecrets.ts"
import { Eraser } from "#src/features/retention/Eraser.ts"
import { IdGenerator } from "#streams/IdGenerator.ts"
import * as MemoryBlobStore from "#streams/MemoryBlobStore.ts"
import * as MemoryEventStore from "#streams/MemoryEventStore.ts"
import { Payloads } from "#streams/Payload.ts"
import * as OutboundGuard from "#test/support/src/kernel/outbound/OutboundGuard.ts"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"
import * as AppendFaults from "./AppendFaults.ts"
import * as MediaServices from "./MediaServices.ts"
import * as OutputChunks from "./OutputChunks.ts"
import * as Scratch from "./Scratch.ts"
import * as TempDirectory from "./TempDirectory.ts"
import * as TestCatalog from "./TestCatalog.ts"
import { TestAccounts } from "./TestAccounts.ts"
import { models as testModels } from "./TestModels.ts"
import { TestProvider } from "./TestProvider.ts"
import * as WorkerServices from "./WorkerServices.ts"

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
  readonly uploads?: Parameters<typeof MediaServices.storeWith>[0]
  /** Sends webhooks through a guard that trusts the test's authority. Needs all projections. */
  readonly delivers?: OutboundGuard.GuardOptions
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

const readSide = (projections: ReadonlyArray<Projection> | undefined) =>
  Layer.mergeAll(DueWork.layer, Ledger.layer, Deliveries.layer, DueDeliveries.layer, Files.layer).pipe(
    Layer.provideMerge(ReadModels.layer),
    Layer.provideMerge(
      TempDirectory.provide((directory) =>
        Projections.layerInProcess({
          filename: `${directory}/projections.sqlite`,
          ...(projections === undefined ? {} : { projections: [...projections, LedgerProjection.projection] })
        })
      )
    )
  )

const publicUrls = PublicUrls.layerOf({
  queueUrl: "https://queue.test",
  baseUrl: "https://api.test",
  mediaUrl: "https://media.test",
  mcpUrl: "https://mcp.test"
})

const onlyActors = Layer.mergeAll(
  RequestActors.layer,
  IdempotencyKeyActors.layer,
  AccountActors.layer,
  ConsoleSessionActors.layer,
  FileActors.layer,
  WorkerKeyActors.layer
)

const application = Layer.mergeAll(
  TestAccounts.funded.pipe(
    Layer.provide(ActorRequests.layer),
    Layer.provideMerge(Layer.mergeAll(RequestChanges.layer, Funds.layer)),
    Layer.provide(QueueDepth.layer)
  ),
  Authentication.layer,
  Accounts.layer,
  SigningSecrets.layer
).pipe(Layer.provideMerge(Eraser.layer))

const services = (follows: boolean, files: ReturnType<typeof MediaServices.storeWith>) =>
  application.pipe(
    Layer.provideMerge(files),
    Layer.provideMerge(follows ? FollowedActors.layer : onlyActors),
    Layer.provideMerge(
      Layer.mergeAll(
        DeadlineHints.layer,
        SteadyTime.layerOfLog,
        ProviderHealth.layer,
        Expectations.layerEmpty
      )
    ),
    Layer.provideMerge(Layer.mergeAll(DeliveryActors.layer, RecoveryActors.layer)),
    Layer.provideMerge(Payloads.layer),
    Layer.provideMerge(publicUrls),
    Layer.provideMerge(MasterKey.layerOf(Buffer.alloc(32)))
  )

/** Without ffmpeg, so films get no thumbnails. */
const thumbnails = Thumbnails.layerNoDeps(null).pipe(
  Layer.provide(VisionWorkers.layer),
  Layer.provide(NodeFileSystem.layer)
)

const finalizer = Finalizer.layer.pipe(
  Layer.provide([RemoteMedia.layer, thumbnails]),
  Layer.provide([OutboundGuard.layer({ authorities: [Receiver.authority] }), Scratch.layer])
)

const sender = (guard: OutboundGuard.GuardOptions) =>
  Layer.merge(DeliverySender.layer, Recoveries.layer).pipe(
    Layer.provide(OutboundGuard.layer({ authorities: [Receiver.authority], ...guard }))
  )

const only = (provider: Provider): ReadonlyArray<Provider> => [provider]

const providersOf = (make: NonNullable<NodeOptions["providers"]>) =>
  Layer.unwrap(Effect.map(TestProvider, ({ provider }) => Providers.layerOf(make(provider))))

const pulling = Layer.unwrap(Effect.map(PullProvider.make, (provider) => Providers.layerOf([provider])))

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
  delivers,
  projections
}: NodeOptions = {}) =>
  Layer.mergeAll(
    dispatches ? Layer.merge(Dispatcher.layer, Deadlines.layer) : Layer.empty,
    follows ? OtherNodes.layer : Layer.empty,
    sweeps ? Sweeping.layer : Layer.empty,
    FollowedOutput.layer,
    delivers === undefined ? Layer.empty : sender(delivers)
  ).pipe(
    Layer.provideMerge(Sweeper.layer),
    Layer.provideMerge(Runs.layer),
    Layer.provideMerge(pulls ? pulling : Layer.empty),
    Layer.provideMerge(WorkerServices.layerOnNode),
    Layer.provideMerge(finalizer),
    Layer.provideMerge(services(follows, MediaServices.storeWith(uploads))),
    Layer.provideMerge(TestCatalog.layer(catalogOnLog ? null : catalog)),
    Layer.provideMerge(Layer.mergeAll(readSide(projections), providersOf(providers))),
    Layer.provideMerge(lease),
    Layer.provideMerge(LiveRuns.layer),
    Layer.provideMerge(Layer.mergeAll(IdGenerator.layer, identity({ name, dispatches }))),
    Layer.provideMerge(AppendFaults.layer),
    Layer.provide(Layer.succeed(References.MinimumLogLevel, "None")),
    // Tests count yields, in which no real time passes.
    Layer.provide(Layer.succeed(DueWorkLoop.MovePace, 0))
  )

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
