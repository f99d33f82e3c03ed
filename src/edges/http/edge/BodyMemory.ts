/** The memory of a submit's body, from its first bytes to the end of the submit, counted against the account's share. */
import { Effect } from "effect"
import type { AccountId } from "#domain/Ids.ts"
import * as InputWeight from "#src/kernel/memory/InputWeight.ts"
import * as MemoryBudget from "#src/kernel/limits/MemoryBudget.ts"
import * as LimitErrorAnswers from "../LimitErrorAnswers.ts"
import * as ErrorAnswer from "../ErrorAnswer.ts"

export interface BodyMemory {
  /** Called as bytes of a body of unknown length arrive. Returns a refusal, or `null` to go on. */
  readonly grow: (bytes: number) => ErrorAnswer.ErrorAnswer | null
  /** Returns when there is memory for that many bytes of text with `values` (`JsonScan`). Waits for a few seconds. */
  readonly cover: (bytes: number, values: number) => Effect.Effect<void, ErrorAnswer.ErrorAnswer>
  readonly release: () => void
}

/** Bodies up to this size are not counted: connections are limited, and such a body is processed at once. */
const small = 64 * 1024

/** Requests that are being read release their memory soon. */
const patience = "5 seconds"
const retryAfterSeconds = 2

const errorAnswerOf = (
  full: MemoryBudget.Full,
  { capacity }: MemoryBudget.MemoryBudget
): ErrorAnswer.ErrorAnswer =>
  full === "account"
    ? LimitErrorAnswers.tooMuchInput({ limit: Math.floor(capacity / 2), retryAfterSeconds })
    : ErrorAnswer.inputMemoryFull

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
    // Takes twice the need, so that a long body asks only a few times.
    const taken = budget.take(account, 2 * needed - held)
    if (MemoryBudget.isFull(taken)) return errorAnswerOf(taken, budget)
    keep(taken)
    return null
  }

  const cover: BodyMemory["cover"] = (bytes, values) => {
    const needed = InputWeight.ofSubmit(bytes, values)
    return needed <= held ? Effect.void : Effect.suspend(() => take(needed - held))
  }

  const take = (bytes: number): Effect.Effect<void, ErrorAnswer.ErrorAnswer> => {
    const taken = budget.take(account, bytes)
    if (!MemoryBudget.isFull(taken)) return Effect.sync(() => keep(taken))
    return budget.wait(account, bytes).pipe(
      Effect.timeoutOrElse({
        duration: patience,
        orElse: () => Effect.fail(errorAnswerOf(taken, budget))
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
