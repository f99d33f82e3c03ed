/** The money of the one account: holds of open requests are taken from what is available. Amounts in nano-USD. */

export interface Funds {
  /** False if the account cannot pay. */
  readonly hold: (requestId: string, amount: bigint) => boolean
  /** The whole hold is charged. */
  readonly capture: (requestId: string) => void
}

export const make = (balance: bigint): Funds => {
  const holds = new Map<string, bigint>()
  let available = balance
  let held = 0n
  return {
    hold: (requestId, amount) => {
      if (available < amount) return false
      available -= amount
      held += amount
      holds.set(requestId, amount)
      return true
    },
    capture: (requestId) => {
      held -= holds.get(requestId) ?? 0n
      holds.delete(requestId)
    }
  }
}
