/** The memory that one submit's body takes, from its first bytes to the end of the submit, as a part of what its account may. */
import { Effect } from "effect"
import type { AccountId } from "#domain/Ids.ts"
import * as InputWeight from "#src/kernel/memory/InputWeight.ts"
import * as MemoryBudget from "#src/kernel/limits/MemoryBudget.ts"
import * as LimitRefusals from "../LimitRefusals.ts"
import * as Refusal from "../Refusal.ts"

export interface BodyMemory {
  /** Called as bytes come whose number was not announced: why there may be no more, or `null`. */
  readonly grow: (bytes: number) => Refusal.Refusal | null
  /** Returns when there is memory for so many bytes of text with `values` (`JsonScan`); waits for some seconds. */
  readonly cover: (bytes: number, values: number) => Effect.Effect<void, Refusal.Refusal>
  readonly release: () => void
}

/** What takes no more than this is not counted: connections are bounded, and it is gone in a moment. */
const small = 64 * 1024

/** Requests that are read now make room before long. */
const patience = "5 seconds"
const retryAfterSeconds = 2

const refusalOf = (full: MemoryBudget.Full, { capacity }: MemoryBudget.MemoryBudget): Refusal.Refusal =>
  full === "account"
    ? LimitRefusals.tooMuchInput({ limit: Math.floor(capacity / 2), retryAfterSeconds })
    : Refusal.inputMemoryFull

export const make = (budget: MemoryBudget.MemoryBudget, account: AccountId): BodyMemory => {
  const leases: Array<MemoryBudget.Lease> = []
  let held = small

  const keep = (lease: MemoryBudget.Lease) => {
    leases.push(lease)
    held += lease.bytes
  }

  const grow: BodyMemory["grow"] = (bytes) => {
    const needed = InputWeight.ofSubmit(bytes, 0)
    if (needed <= held) return null
    // Twice as much, so that a long body asks some times only.
    const taken = budget.take(account, 2 * needed - held)
    if (MemoryBudget.isFull(taken)) return refusalOf(taken, budget)
    keep(taken)
    return null
  }

  const cover: BodyMemory["cover"] = (bytes, values) => {
    const needed = InputWeight.ofSubmit(bytes, values)
    return needed <= held ? Effect.void : Effect.suspend(() => take(needed - held))
  }

  const take = (bytes: number): Effect.Effect<void, Refusal.Refusal> => {
    const taken = budget.take(account, bytes)
    if (!MemoryBudget.isFull(taken)) return Effect.sync(() => keep(taken))
    return budget.wait(account, bytes).pipe(
      Effect.timeoutOrElse({
        duration: patience,
        orElse: () => Effect.fail(refusalOf(taken, budget))
      }),
      Effect.map(keep)
    )
  }

  return {
    grow,
    cover,
    release: () => {
      for (const lease of leases.splice(0)) lease.release()
    }
  }
}
