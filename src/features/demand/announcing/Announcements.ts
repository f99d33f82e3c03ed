/**
 * What a receiver has to be told about each model: that it is `active` (0 to 1 requests), or `idle` (1 to 0). Only the
 * newest state of a model waits. Times are ms of a monotonic clock.
 */
import type { AllDemand } from "../Demand.ts"

type State = "active" | "idle"

export interface Change {
  readonly model: string
  readonly state: State
  readonly queued: number
  readonly running: number
}

interface Known {
  /** What the receiver has accepted; `null` while that is unknown. */
  accepted: State | null
  /** Since when the model has no requests; `null` while it has some. */
  idleSince: number | null
  isSending: boolean
}

export interface Announcements {
  /** The changes that the receiver does not know yet and that are not being sent. */
  readonly look: (demand: AllDemand, now: number) => ReadonlyArray<Change>
  /** The change is being sent. */
  readonly begin: (change: Change) => void
  /** It was accepted, or it is unknown whether the receiver has it. */
  readonly end: (change: Change, isAccepted: boolean) => void
  /** Another node sends now. What the receiver knows is unknown again. Nothing is being sent. */
  readonly forget: () => void
}

/** @param idleAfterMs how long a model has no requests before it is idle. */
export const make = ({ idleAfterMs }: { readonly idleAfterMs: number }): Announcements => {
  const models = new Map<string, Known>()

  const of = (model: string): Known => {
    const known = models.get(model)
    if (known !== undefined) return known
    const made: Known = { accepted: null, idleSince: null, isSending: false }
    models.set(model, made)
    return made
  }

  /** `null` while a model without requests is not idle for long enough. */
  const stateOf = (known: Known, isBusy: boolean, now: number): State | null => {
    if (isBusy) {
      known.idleSince = null
      return "active"
    }
    known.idleSince ??= now
    return now - known.idleSince >= idleAfterMs ? "idle" : null
  }

  return {
    look: (demand, now) => {
      for (const model of models.keys()) if (!demand.has(model)) models.delete(model)
      const changes: Array<Change> = []
      for (const [model, { queued, running }] of demand) {
        const known = of(model)
        const state = stateOf(known, queued + running > 0, now)
        if (state === null || known.isSending || state === known.accepted) continue
        changes.push({ model, state, queued, running })
      }
      return changes
    },
    begin: ({ model }) => {
      const known = of(model)
      known.isSending = true
      known.accepted = null
    },
    end: ({ model, state }, isAccepted) => {
      const known = models.get(model)
      if (known === undefined) return
      known.isSending = false
      known.accepted = isAccepted ? state : null
    },
    forget: () => models.clear()
  }
}
