/**
 * Who is being sent to just now, and who may be: bounded in all, per account and per receiver, so that one that does not
 * answer keeps nobody waiting. How much a receiver gets follows from what it does: one more at once with every answer, one
 * at a time after none (as TCP opens and closes its window).
 */
import * as RecentlyUsed from "#streams/RecentlyUsed.ts"
import type { DeliveryLimits } from "./DeliveryLimits.ts"

/** To whom one delivery goes, for whom. */
export interface Target {
  readonly accountId: string
  /** Scheme, host and port: the receiver. */
  readonly origin: string
  /** Of the body, which is in memory until all is over. */
  readonly bytes: number
}

export interface Places {
  /** Attempts that may begin, of anybody. */
  readonly free: () => number
  /** Takes a place; false when there is none for this target. */
  readonly take: (target: Target) => boolean
  /** Gives it back. Whether the receiver answered, whatever; `null` when that did not become known. */
  readonly giveBack: (target: Target, answered: boolean | null) => void
  /** Room for a body of so many bytes that is not sent yet; false when there is none. */
  readonly takeBytes: (bytes: number) => boolean
  readonly giveBackBytes: (bytes: number) => void
  /** Receivers that get no more for now, as far as they are remembered. */
  readonly full: () => ReadonlyArray<string>
}

interface Receiver {
  readonly origin: string
  inFlight: number
  /** How many there may be at once. */
  window: number
  isSilent: boolean
}

/** Receivers that are remembered when nothing is on its way to them. */
const mostRemembered = 4_000

export const make = (limits: DeliveryLimits): Places => {
  const receivers = RecentlyUsed.make<Receiver>({
    capacity: mostRemembered,
    isPinned: ({ inFlight }) => inFlight > 0,
    onDrop: ({ origin }) => silentOnes.delete(origin)
  })
  const full = new Set<string>()
  /** They all get no more while too many of them are sent to. */
  const silentOnes = new Set<string>()
  const ofAccounts = new Map<string, number>()
  let inFlight = 0
  let silent = 0
  let bytesInMemory = 0

  const find = (origin: string): Receiver => {
    const known = receivers.get(origin)
    if (known !== undefined) return known
    const window = Math.min(limits.firstWindow, limits.perReceiver)
    const added = { origin, inFlight: 0, window, isSilent: false }
    receivers.set(origin, added)
    return added
  }

  const ofAccount = (accountId: string) => ofAccounts.get(accountId) ?? 0

  const count = ({ accountId }: Target, receiver: Receiver, change: 1 | -1) => {
    receiver.inFlight += change
    inFlight += change
    if (receiver.isSilent) silent += change
    const left = ofAccount(accountId) + change
    if (left > 0) ofAccounts.set(accountId, left)
    else ofAccounts.delete(accountId)
  }

  const settle = (receiver: Receiver, answered: boolean) => {
    receiver.window = answered ? Math.min(receiver.window + 1, limits.perReceiver) : 1
    if (receiver.isSilent === !answered) return
    receiver.isSilent = !answered
    silent += answered ? -receiver.inFlight : receiver.inFlight
    if (answered) silentOnes.delete(receiver.origin)
    else silentOnes.add(receiver.origin)
  }

  const judge = ({ inFlight, origin, window }: Receiver) => {
    if (inFlight >= window) full.add(origin)
    else full.delete(origin)
  }

  const takeBytes = (bytes: number): boolean => {
    if (bytesInMemory > 0 && bytesInMemory + bytes > limits.bytes) return false
    bytesInMemory += bytes
    return true
  }

  const giveBackBytes = (bytes: number) => {
    bytesInMemory -= bytes
  }

  const hasPlace = ({ accountId }: Target, receiver: Receiver): boolean =>
    receiver.inFlight < receiver.window &&
    inFlight < limits.inAll &&
    ofAccount(accountId) < limits.perAccount &&
    (!receiver.isSilent || silent < limits.silent)

  return {
    free: () => Math.max(limits.inAll - inFlight, 0),
    take: (target) => {
      const receiver = find(target.origin)
      const isTaken = hasPlace(target, receiver) && takeBytes(target.bytes)
      if (isTaken) count(target, receiver, 1)
      judge(receiver)
      return isTaken
    },
    giveBack: (target, answered) => {
      const receiver = find(target.origin)
      giveBackBytes(target.bytes)
      count(target, receiver, -1)
      if (answered !== null) settle(receiver, answered)
      judge(receiver)
    },
    takeBytes,
    giveBackBytes,
    full: () => (silent < limits.silent ? [...full] : [...new Set([...full, ...silentOnes])])
  }
}
