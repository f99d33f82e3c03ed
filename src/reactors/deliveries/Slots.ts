/**
 * Who is being sent to just now, and who may be: bounded in all, per account, per receiver and per lane, which is one account
 * at one receiver. How much goes through a lane follows from what comes back: one more at once with every answer, and after
 * none a few, or one at a time where many do not answer (as TCP opens and closes its window). So neither a receiver that
 * does not answer nor a neighbour's URL at the same host keeps anybody waiting.
 */
import type { Without } from "#projections/deliveries/DueDeliveryQueries.ts"
import * as RecentlyUsed from "#streams/RecentlyUsed.ts"
import type { DeliveryLimits } from "./DeliveryLimits.ts"

/** One account at one receiver. */
export interface Lane {
  readonly accountId: string
  /** Scheme, host and port: the receiver. */
  readonly origin: string
}

/** What wants a slot. */
export interface Load extends Lane {
  /** Of the body, which is in memory until all is over. */
  readonly bytes: number
}

export interface Slots {
  /** Attempts that may begin, of anybody. */
  readonly free: () => number
  /** Whether an attempt may begin in the lane, however large its body. */
  readonly isOpen: (lane: Lane) => boolean
  /** Takes a slot; false when there is none for this load. */
  readonly take: (load: Load) => boolean
  /** Gives it back. Whether the receiver answered, whatever; `null` when that did not become known. */
  readonly giveBack: (load: Load, answered: boolean | null) => void
  /** Room for a body of so many bytes that is not sent yet; false when there is none. */
  readonly takeBytes: (bytes: number) => boolean
  readonly giveBackBytes: (bytes: number) => void
  /** Who gets none for now, as far as that is remembered. */
  readonly closed: () => Omit<Without, "deliveries">
}

interface Window extends Lane {
  inFlight: number
  /** How many there may be at once, at least. */
  size: number
  /** It was not answered the last time, or never sent anything. */
  isSilent: boolean
}

/** Lanes that are remembered when nothing is on its way in them. */
const mostRemembered = 4_000

/** Of what may be under way in silent lanes, so little is few: of one account, and of all. */
const fewPerAccount = 1 / 64
const fewInAll = 1 / 8

/** A number for each of some keys; those at 0 take no memory. */
const counters = () => {
  const counts = new Map<string, number>()
  const get = (key: string) => counts.get(key) ?? 0
  return {
    get,
    add: (key: string, change: number) => {
      const count = get(key) + change
      if (count === 0) counts.delete(key)
      else counts.set(key, count)
    },
    atLeast: (least: number) => [...counts].filter(([, count]) => count >= least).map(([key]) => key)
  }
}

const keyOf = ({ accountId, origin }: Lane) => `${accountId} ${origin}`

export const make = (limits: DeliveryLimits): Slots => {
  const windows = RecentlyUsed.make<Window>({
    capacity: mostRemembered,
    isPinned: ({ inFlight }) => inFlight > 0,
    onDrop: (window) => knownSilent.delete(window)
  })
  /** Lanes whose size is reached. */
  const full = new Set<Window>()
  /** Silent lanes that something was sent in. */
  const knownSilent = new Set<Window>()
  const ofAccounts = counters()
  const silentOfAccounts = counters()
  const ofReceivers = counters()
  let inFlight = 0
  let silent = 0
  let bytesInMemory = 0

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

  const takeBytes = (bytes: number): boolean => {
    if (bytesInMemory > 0 && bytesInMemory + bytes > limits.bytes) return false
    bytesInMemory += bytes
    return true
  }

  const giveBackBytes = (bytes: number) => {
    bytesInMemory -= bytes
  }

  return {
    free: () => Math.max(limits.inAll - inFlight, 0),
    isOpen: (lane) => isOpenWindow(find(lane)),
    take: (load) => {
      const window = find(load)
      const isTaken = isOpenWindow(window) && takeBytes(load.bytes)
      if (isTaken) count(window, 1)
      return isTaken
    },
    giveBack: (load, answered) => {
      const window = find(load)
      giveBackBytes(load.bytes)
      if (answered !== null) settle(window, answered)
      count(window, -1)
    },
    takeBytes,
    giveBackBytes,
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
