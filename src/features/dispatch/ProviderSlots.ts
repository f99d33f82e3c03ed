/**
 * Which of its providers a run may begin at: the first in the model's order that this server has an adapter for, whose circuit
 * lets it, that has not asked for a pause, and that has room within its own limit. A retry goes on behind the one that failed.
 */
import { Effect, Stream } from "effect"
import type { Adapter, ProviderBinding } from "#domain/catalog/ProviderBinding.ts"
import type { QueuedRequest } from "#projections/due-work/DueWork.ts"
import { Nodes } from "#src/platform/cluster/Nodes.ts"
import * as Rendezvous from "#src/platform/cluster/Rendezvous.ts"
import { Catalog, type CatalogEntry } from "#src/features/catalog/models/Catalog.ts"
import { ProviderHealth, unwatched, type Watch } from "#src/features/provider-health/ProviderHealth.ts"
import * as ProviderLimits from "#src/features/providers/ProviderLimits.ts"
import { Providers } from "#src/features/providers/Providers.ts"
import * as Turns from "#src/platform/reactors/Turns.ts"
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
  /** Runs that the model may have under way on this node, whichever its provider. */
  readonly runs: number
  /** Those that may claim for any of the providers. */
  readonly nodes: ReadonlyArray<string>
  /** Each node's turn at a row, ms. */
  readonly graceMs: number
  /** In how many ms one that admits no run now may, if nothing happens before; `null` when none is to be waited for. */
  readonly admitsIn: number | null
}

/** Of a model that never was, or that this server cannot run: its requests are claimed, and fail. */
const nowhere = (provider: string): Slot => ({ provider, left: Infinity, begin: () => unwatched })

const nothing: Share.Share = { runs: 0, nodes: [] }

export const leftOf = (slots: ReadonlyArray<Slot>): number => slots.reduce((sum, { left }) => sum + left, 0)

/** The index of the slot for a row, and one less left of it; -1 when there is none. */
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
  const health = yield* ProviderHealth
  const node = yield* Nodes
  const providers = yield* Providers
  const runs = yield* Runs
  /** Runs that were begun and are not at their provider yet, where it says how many it has room for. */
  const underWay = new Map<string, number>()
  let known: ReadonlyArray<CatalogEntry> = []
  let limits: ReadonlyMap<string, number> = new Map()

  /** Once in each pass. */
  const refresh = Effect.map(catalog.all, (entries) => {
    if (entries === known) return
    known = entries
    limits = ProviderLimits.of(entries)
  })

  /** A model that was withdrawn is in no list any more, and its own binding says what it said. */
  const limitOf = ({ concurrency = Infinity, name }: ProviderBinding): number =>
    Math.min(concurrency, limits.get(name) ?? Infinity)

  const hasRoomOfItsOwn = (adapter: Adapter) => providers.find(adapter)?.room !== undefined

  /** Workers come to one node or to another: none of those that could run one is left out for a limit that is small. */
  const atLeastOne = (share: Share.Share): Share.Share => ({
    runs: Math.max(share.runs, 1),
    nodes: node.live()
  })

  const shareOf = (key: string, limit: number, isSpread: boolean): Share.Share => {
    const share = Share.of(key, limit, node.self, node.live())
    return isSpread ? atLeastOne(share) : share
  }

  /** What the model may have under way on this node; whatever it is, some node can run it at its first provider. */
  const ofModel = ({ model, runs }: CatalogEntry): Share.Share => {
    const key = model.providers.find((binding) => limitOf(binding) < Infinity)?.name ?? runs
    const isSpread = model.providers.some(({ adapter }) => hasRoomOfItsOwn(adapter))
    return shareOf(key, model.concurrency, isSpread)
  }

  /** Until the run is at its provider, that still has the room for it. */
  const counted = (name: string, watch: Watch): Watch => {
    underWay.set(name, (underWay.get(name) ?? 0) + 1)
    let isThere = false
    const arrive = () => {
      if (isThere) return
      isThere = true
      underWay.set(name, (underWay.get(name) ?? 0) - 1)
    }
    return {
      asked: arrive,
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
   * Small limits fall to some nodes, and those of a model's providers to others than the model's own. A provider that none of
   * the model's nodes has a part of is lent to one of them: one run more than its limit is better than none for ever.
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
    Math.max(
      Math.min(share.runs - runs.countOf(binding.name), health.admits(binding), roomOf(entry, binding)),
      0
    )

  const beginOf = (binding: ProviderBinding): Slot["begin"] =>
    hasRoomOfItsOwn(binding.adapter)
      ? () => counted(binding.name, health.begin(binding))
      : () => health.begin(binding)

  const of = (entry: CatalogEntry | null, contenders: Contenders): Slots => {
    const live = node.live()
    const { graceMs } = Turns
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
      graceMs: isForWorkers ? Turns.workersGraceMs : graceMs,
      admitsIn
    }
  }

  return {
    refresh,
    of,
    /** Whenever a provider has more room than it had. */
    changes: Stream.mergeAll(
      providers.all.flatMap(({ room }) => (room === undefined ? [] : [room.changes])),
      { concurrency: "unbounded" }
    )
  }
})
