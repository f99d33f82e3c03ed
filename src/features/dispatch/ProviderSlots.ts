/** Chooses a run's provider: the first in the model's order that may run it. A retry starts behind the failed one. */
import { Effect, Stream } from "effect"
import type { Adapter, ProviderBinding } from "#domain/catalog/ProviderBinding.ts"
import type { QueuedRequest } from "#projections/due-work/DueWork.ts"
import { Nodes } from "#src/platform/cluster/Nodes.ts"
import * as Rendezvous from "#src/platform/cluster/Rendezvous.ts"
import { Catalog, type CatalogEntry } from "#src/features/catalog/models/Catalog.ts"
import { HasCredential } from "#src/features/provider-health/Credentials.ts"
import { ProviderHealth } from "#src/features/provider-health/ProviderHealth.ts"
import { unwatched, type Watch } from "#src/features/provider-health/Watch.ts"
import * as ProviderLimits from "#src/features/providers/ProviderLimits.ts"
import { Providers } from "#src/features/providers/Providers.ts"
import * as ClaimTurns from "#src/platform/reactors/ClaimTurns.ts"
import type { Contenders } from "./Contenders.ts"
import * as Mapping from "./Mapping.ts"
import { Runs } from "./Runs.ts"
import * as Share from "./Share.ts"

/** Runs of one model that may begin at one of its providers. */
export interface Slot {
  readonly provider: string
  left: number
  /** Called for each run that begins. */
  readonly begin: () => Watch
}

export interface Slots {
  readonly slots: ReadonlyArray<Slot>
  /** Runs of the model that this node may have at the same time, over all providers. */
  readonly runs: number
  /** The nodes that may claim for any of the providers. */
  readonly nodes: ReadonlyArray<string>
  /** The time in which a row belongs to one node, ms. */
  readonly graceMs: number
  /** ms until a provider that admits no run now may admit one; `null` if no time is known. */
  readonly admitsIn: number | null
}

/** For a model that does not exist, or that this server cannot run: its requests are claimed, and fail. */
const nowhere = (provider: string): Slot => ({ provider, left: Infinity, begin: () => unwatched })

const nothing: Share.Share = { runs: 0, nodes: [] }

export const leftOf = (slots: ReadonlyArray<Slot>): number => slots.reduce((sum, { left }) => sum + left, 0)

/** Takes a slot for a row and returns its index; -1 without one. */
export const take = (slots: ReadonlyArray<Slot>, { failedAt }: Pick<QueuedRequest, "failedAt">) => {
  const first = failedAt === null ? 0 : slots.findIndex(({ provider }) => provider === failedAt) + 1
  for (let index = 0; index < slots.length; index++) {
    const at = (first + index) % slots.length
    const slot = slots[at]
    if (slot !== undefined && slot.left > 0) {
      slot.left--
      return at
    }
  }
  return -1
}

export const make = Effect.gen(function* () {
  const catalog = yield* Catalog
  const hasCredential = yield* HasCredential
  const health = yield* ProviderHealth
  const node = yield* Nodes
  const providers = yield* Providers
  const runs = yield* Runs
  /** Runs that have begun and are not yet at their provider, for providers that report their capacity. */
  const underWay = new Map<string, number>()
  let known: ReadonlyArray<CatalogEntry> = []
  let limits: ReadonlyMap<string, number> = new Map()

  /** Called once in each pass. */
  const refresh = Effect.map(catalog.all, (entries) => {
    if (entries === known) return
    known = entries
    limits = ProviderLimits.of(entries)
  })

  /** A withdrawn model is in no list, so its own binding counts. */
  const limitOf = ({ concurrency = Infinity, name }: ProviderBinding): number =>
    Math.min(concurrency, limits.get(name) ?? Infinity)

  const hasRoomOfItsOwn = (adapter: Adapter) => providers.find(adapter)?.room !== undefined

  /** Workers connect to any node, so a small limit must not exclude the node that has a worker. */
  const atLeastOne = (share: Share.Share): Share.Share => ({
    runs: Math.max(share.runs, 1),
    nodes: node.live()
  })

  const shareOf = (key: string, limit: number, isSpread: boolean): Share.Share => {
    const share = Share.of(key, limit, node.self, node.live())
    return isSpread ? atLeastOne(share) : share
  }

  /** Runs of the model that this node may have; with any limit some node can run it at its first provider. */
  const ofModel = ({ model, runs }: CatalogEntry): Share.Share => {
    const key = model.providers.find((binding) => limitOf(binding) < Infinity)?.name ?? runs
    const isSpread = model.providers.some(({ adapter }) => hasRoomOfItsOwn(adapter))
    return shareOf(key, model.concurrency, isSpread)
  }

  /** A run counts as taken room until it is at its provider. */
  const counted = (name: string, watch: Watch): Watch => {
    underWay.set(name, (underWay.get(name) ?? 0) + 1)
    let isThere = false
    const arrive = () => {
      if (isThere) return
      isThere = true
      underWay.set(name, (underWay.get(name) ?? 0) - 1)
    }
    return {
      asked: (job) => {
        arrive()
        watch.asked(job)
      },
      timedOut: watch.timedOut,
      ended: (outcome) => {
        arrive()
        watch.ended(outcome)
      }
    }
  }

  const shareOfProvider = (binding: ProviderBinding): Share.Share => {
    const limit = limitOf(binding)
    return limit === Infinity
      ? { runs: Infinity, nodes: node.live() }
      : shareOf(binding.name, limit, hasRoomOfItsOwn(binding.adapter))
  }

  /**
   * A small limit falls to some nodes, and a provider's limit may fall to other nodes than the model's. If none of the
   * model's nodes has a part of a provider, one of them borrows one run: one more than the limit is better than never.
   */
  const shareFor = (ofModel: Share.Share, binding: ProviderBinding): Share.Share => {
    const share = shareOfProvider(binding)
    if (share.runs > 0 && ofModel.runs > 0) return share
    if (share.nodes.some((one) => ofModel.nodes.includes(one))) return share
    const borrower = Rendezvous.first(binding.name, ofModel.nodes)
    if (borrower === undefined) return share
    return { runs: borrower === node.self ? 1 : 0, nodes: [borrower] }
  }

  const roomOf = (entry: CatalogEntry, binding: ProviderBinding): number => {
    const room = providers.find(binding.adapter)?.room
    if (room === undefined) return Infinity
    return room.of(Mapping.modelOf(entry), binding) - (underWay.get(binding.name) ?? 0)
  }

  const leftAt = (entry: CatalogEntry, binding: ProviderBinding, share: Share.Share): number =>
    hasCredential(binding)
      ? Math.max(
          Math.min(share.runs - runs.countOf(binding.name), health.admits(binding), roomOf(entry, binding)),
          0
        )
      : 0

  const beginOf = (binding: ProviderBinding): Slot["begin"] =>
    hasRoomOfItsOwn(binding.adapter)
      ? () => counted(binding.name, health.begin(binding))
      : () => health.begin(binding)

  const of = (entry: CatalogEntry | null, contenders: Contenders): Slots => {
    const live = node.live()
    const { graceMs } = ClaimTurns
    if (entry === null) {
      return { slots: [nowhere("none")], runs: Infinity, nodes: live, graceMs, admitsIn: null }
    }
    const own = ofModel(entry)
    const usable = entry.model.providers.filter(({ adapter }) => providers.find(adapter) !== null)
    if (usable.length === 0) {
      return { slots: [nowhere(entry.model.providers[0].name)], ...own, graceMs, admitsIn: null }
    }
    let admitsIn: number | null = null
    const shares = usable.map((binding) => shareFor(own, binding))
    const slots = usable.map((binding, index): Slot => {
      const wait = health.admitsIn(binding)
      if (wait !== null) admitsIn = Math.min(wait, admitsIn ?? wait)
      const left = leftAt(entry, binding, shares[index] ?? nothing)
      return {
        provider: binding.name,
        left: contenders.partOfProvider(binding.name, left),
        begin: beginOf(binding)
      }
    })
    const nodes = shares.some((share) => share.nodes.length === live.length)
      ? own.nodes
      : own.nodes.filter((one) => shares.some((share) => share.nodes.includes(one)))
    const isForWorkers = usable.every(({ adapter }) => hasRoomOfItsOwn(adapter))
    return {
      slots,
      runs: own.runs,
      nodes,
      graceMs: isForWorkers ? ClaimTurns.workersGraceMs : graceMs,
      admitsIn
    }
  }

  return {
    refresh,
    of,
    /** Emits when a provider has more room. */
    changes: Stream.mergeAll(
      [health.resets, ...providers.all.flatMap(({ room }) => (room === undefined ? [] : [room.changes]))],
      { concurrency: "unbounded" }
    )
  }
})
