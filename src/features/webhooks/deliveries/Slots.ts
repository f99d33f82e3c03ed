/**
 * Who is being sent to just now, and who may be: bounded in all, per account, per receiver and per lane, which is one account
 * at one receiver. How much goes through a lane follows from what comes back: one more at once with every answer, and after
 * none a few, or one at a time where many do not answer (as TCP opens and closes its window). So neither a receiver that
 * does not answer nor a neighbour's URL at the same host keeps anybody waiting.
 */
import type { Without } from "#projections/deliveries/DueDeliveryQueries.ts"
import * as RecentlyUsed from "#streams/RecentlyUsed.ts"
import * as BodyBytes from "./BodyBytes.ts"
import * as Counters from "./Counters.ts"
import type { Lane } from "./Lane.ts"
import type { DeliveryLimits } from "./DeliveryLimits.ts"

/** What wants a slot. */
export interface Load extends Lane {
  /** That its body takes in memory until all is over, `whileMade` of it at first. */
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
  /** Its body is made: what is left of the load. That is to be given back instead. */
  readonly made: (load: Load) => Load
  /** Room for a body that is made and not sent yet; false when there is none. */
  readonly takeBytes: (load: Load) => boolean
  readonly giveBackBytes: (load: Load) => void
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

/**
 * A body of so many bytes takes about this many times as much while it is read or made: what it is made of, its text, and
 * the bytes that are stored, signed and sent.
 */
const copies = 4

/** What a body of so many bytes takes at first. */
export const whileMade = (bytes: number): number => copies * bytes

/** Lanes that are remembered when nothing is on its way in them. */
const mostRemembered = 4_000

/** Of what may be under way in silent lanes, so little is few: of one account, and of all. */
const fewPerAccount = 1 / 64
const fewInAll = 1 / 8

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
