/**
 * Limits the attempts in flight: in total, per account, per receiver and per lane. Every answer widens the window of its lane by
 * one. After a missing answer the lane may have a few attempts, or one while many lanes are silent. A silent receiver therefore
 * delays neither other receivers nor other accounts at the same host.
 */
import type { Without } from "#projections/deliveries/DueDeliveryQueries.ts"
import * as RecentlyUsed from "#streams/RecentlyUsed.ts"
import * as BodyBytes from "./BodyBytes.ts"
import * as Counters from "./Counters.ts"
import type { Lane } from "./Lane.ts"
import type { DeliveryLimits } from "./DeliveryLimits.ts"

/** An attempt that needs a slot. */
export interface Load extends Lane {
  /** Memory that its body takes until the attempt has ended; `whileMade` while the body is made. */
  readonly bytes: number
}

export interface Slots {
  /** How many more attempts may begin in total. */
  readonly free: () => number
  /** Whether an attempt may begin in the lane, however large its body. */
  readonly isOpen: (lane: Lane) => boolean
  /** Takes a slot; false when there is none for this load. */
  readonly take: (load: Load) => boolean
  /** Releases the slot. `answered`: whether the receiver sent any answer; `null` when that is unknown. */
  readonly giveBack: (load: Load, answered: boolean | null) => void
  /** Reduces the load once its body is made. The returned load is the one to release. */
  readonly made: (load: Load) => Load
  /** Whether the last attempt in the lane got an answer. */
  readonly answers: (lane: Lane) => boolean
  /** Takes memory for a body, for a slot that was taken without or for one that is sent later; false when there is none. */
  readonly takeBytes: (load: Load) => boolean
  readonly giveBackBytes: (load: Load) => void
  /** The accounts, receivers and lanes that get no slot now, as far as they are remembered. */
  readonly closed: () => Omit<Without, "deliveries">
}

interface Window extends Lane {
  inFlight: number
  /** How many attempts may be in flight, at least. */
  size: number
  /** The last attempt got no answer, or there was no attempt yet. */
  isSilent: boolean
}

/** Memory for a body while it is read or made, as a multiple of its bytes: its sources, its text and the bytes to send. */
const copies = 4

/** Memory for a body of `bytes` bytes while it is read or made. */
export const whileMade = (bytes: number): number => copies * bytes

/** How many lanes without attempts in flight are remembered. */
const mostRemembered = 4_000

/** Parts of the limits on silent lanes below which attempts count as few: per account, and in total. */
const fewPerAccount = 1 / 64
const fewInAll = 1 / 8

const keyOf = ({ accountId, origin }: Lane) => `${accountId} ${origin}`

export const make = (limits: DeliveryLimits): Slots => {
  const windows = RecentlyUsed.make<Window>({
    capacity: mostRemembered,
    isPinned: ({ inFlight }) => inFlight > 0,
    onDrop: (window) => knownSilent.delete(window)
  })
  /** Lanes with as many attempts in flight as their size. */
  const full = new Set<Window>()
  /** Silent lanes that had an attempt. */
  const knownSilent = new Set<Window>()
  const ofAccounts = Counters.make()
  const silentOfAccounts = Counters.make()
  const ofReceivers = Counters.make()
  let inFlight = 0
  let silent = 0
  const bodies = BodyBytes.make(limits)

  const find = (lane: Lane): Window => {
    const known = windows.get(keyOf(lane))
    if (known !== undefined) return known
    const { accountId, origin } = lane
    const added = { accountId, origin, inFlight: 0, size: 1, isSilent: true }
    windows.set(keyOf(lane), added)
    return added
  }

  const countSilent = ({ accountId }: Lane, change: number) => {
    silent += change
    silentOfAccounts.add(accountId, change)
  }

  const count = (window: Window, change: 1 | -1) => {
    window.inFlight += change
    inFlight += change
    ofAccounts.add(window.accountId, change)
    ofReceivers.add(window.origin, change)
    if (window.isSilent) countSilent(window, change)
    if (window.inFlight >= window.size) full.add(window)
    else full.delete(window)
  }

  const settle = (window: Window, answered: boolean) => {
    window.size = answered ? Math.min(Math.max(window.size, window.inFlight) + 1, limits.perLane) : 1
    if (window.isSilent === answered) {
      countSilent(window, answered ? -window.inFlight : window.inFlight)
      window.isSilent = !answered
    }
    if (answered) knownSilent.delete(window)
    else knownSilent.add(window)
  }

  const isSilentOpen = (accountId: string) =>
    silent < limits.silent && silentOfAccounts.get(accountId) < limits.silentPerAccount

  const areFewSilent = (accountId: string) =>
    silent < limits.silent * fewInAll &&
    silentOfAccounts.get(accountId) < limits.silentPerAccount * fewPerAccount

  const isUsedUp = ({ accountId, inFlight: here, isSilent, size }: Window): boolean =>
    here >= size && !(isSilent && here < limits.perSilentLane && areFewSilent(accountId))

  const isOpenWindow = (window: Window): boolean =>
    !isUsedUp(window) &&
    inFlight < limits.inAll &&
    ofAccounts.get(window.accountId) < limits.perAccount &&
    ofReceivers.get(window.origin) < limits.perReceiver &&
    (!window.isSilent || isSilentOpen(window.accountId))

  return {
    free: () => Math.max(limits.inAll - inFlight, 0),
    isOpen: (lane) => isOpenWindow(find(lane)),
    take: (load) => {
      const window = find(load)
      const isTaken = isOpenWindow(window) && bodies.take(load, load.bytes)
      if (isTaken) count(window, 1)
      return isTaken
    },
    giveBack: (load, answered) => {
      const window = find(load)
      bodies.giveBack(load, load.bytes)
      if (answered !== null) settle(window, answered)
      count(window, -1)
    },
    made: (load) => {
      const bytes = load.bytes / copies
      bodies.giveBack(load, load.bytes - bytes)
      return { ...load, bytes }
    },
    answers: (lane) => !find(lane).isSilent,
    takeBytes: (load) => bodies.take(load, load.bytes),
    giveBackBytes: (load) => bodies.giveBack(load, load.bytes),
    closed: () => {
      const silentOnes = [...knownSilent].filter(
        (window) => !full.has(window) && !isSilentOpen(window.accountId)
      )
      return {
        accounts: ofAccounts.atLeast(limits.perAccount),
        receivers: ofReceivers.atLeast(limits.perReceiver),
        lanes: [...[...full].filter(isUsedUp), ...silentOnes].map(
          ({ accountId, origin }) => [accountId, origin] as const
        )
      }
    }
  }
}
