/** Due deliveries that were read and wait for a slot, in the order in which they were read. */
import type { DeliveryId } from "#domain/webhook-delivery/DeliveryId.ts"
import type { DueDelivery } from "#projections/deliveries/DueDeliveries.ts"
import type { Lane } from "./Lane.ts"

/** A lane with as many waiting deliveries needs no more for now. */
const enough = 32

export interface ReadAhead {
  readonly size: () => number
  readonly add: (rows: ReadonlyArray<DueDelivery>) => void
  /**
   * Removes the deliveries for which `take` returns something, and returns that, in their order. After a `null`, the others of
   * the lane are not asked for; they wait if `waits` says so, otherwise they are dropped.
   */
  readonly next: <A>(take: (row: DueDelivery) => A | null, waits: (lane: Lane) => boolean) => ReadonlyArray<A>
  readonly deliveries: () => ReadonlyArray<DeliveryId>
  /** The lanes for which enough deliveries wait. */
  readonly fullLanes: () => ReadonlyArray<readonly [accountId: string, origin: string]>
}

interface WaitingLane extends Lane {
  waiting: number
  /** The last search in which the lane had no slot. */
  refusedIn: number
  isDropped: boolean
}

interface Waiting {
  readonly row: DueDelivery
  readonly lane: WaitingLane
}

export const make = (): ReadAhead => {
  const lanes = new Map<string, WaitingLane>()
  let waiting: Array<Waiting> = []
  let search = 0

  const laneOf = ({ accountId, origin }: DueDelivery): WaitingLane => {
    const key = `${accountId} ${origin}`
    const known = lanes.get(key)
    if (known !== undefined) return known
    const lane = { accountId, origin, waiting: 0, refusedIn: 0, isDropped: false }
    lanes.set(key, lane)
    return lane
  }

  const remove = (lane: WaitingLane) => {
    lane.waiting--
    if (lane.waiting === 0) lanes.delete(`${lane.accountId} ${lane.origin}`)
  }

  return {
    size: () => waiting.length,
    add: (rows) => {
      for (const row of rows) {
        const lane = laneOf(row)
        lane.waiting++
        waiting.push({ row, lane })
      }
    },
    next: <A>(take: (row: DueDelivery) => A | null, waits: (lane: Lane) => boolean) => {
      search++
      const all: Array<A> = []
      const left: Array<Waiting> = []
      for (const one of waiting) {
        const { lane, row } = one
        if (lane.refusedIn !== search) {
          const taken = take(row)
          if (taken !== null) {
            all.push(taken)
            remove(lane)
            continue
          }
          lane.refusedIn = search
          lane.isDropped = !waits(lane)
        }
        if (lane.isDropped) remove(lane)
        else left.push(one)
      }
      waiting = left
      return all
    },
    deliveries: () => waiting.map(({ row }) => row.deliveryId),
    fullLanes: () =>
      [...lanes.values()]
        .filter((lane) => lane.waiting >= enough)
        .map(({ accountId, origin }) => [accountId, origin] as const)
  }
}
