/** Claims that have been sent to the log and have no answer yet. */
import { Effect } from "effect"
import type { DeliveryId } from "#domain/webhook-delivery/DeliveryId.ts"

export interface PendingClaims {
  readonly begin: (id: DeliveryId) => void
  readonly end: (id: DeliveryId) => void
  /** Waits for those that are pending now. */
  readonly all: Effect.Effect<void>
}

interface Wait {
  readonly left: Set<DeliveryId>
  readonly resume: () => void
}

export const make = (): PendingClaims => {
  const pending = new Set<DeliveryId>()
  const waits = new Set<Wait>()
  return {
    begin: (id) => {
      pending.add(id)
    },
    end: (id) => {
      pending.delete(id)
      for (const wait of waits) {
        if (!wait.left.delete(id) || wait.left.size > 0) continue
        waits.delete(wait)
        wait.resume()
      }
    },
    all: Effect.callback<void>((resume) => {
      if (pending.size === 0) return resume(Effect.void)
      const wait = { left: new Set(pending), resume: () => resume(Effect.void) }
      waits.add(wait)
      return Effect.sync(() => waits.delete(wait))
    })
  }
}
