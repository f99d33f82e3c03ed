/** The memory of a submit's body, from its first bytes to the end of the submit, counted against the account's share. */
import { Effect } from "effect"
import type { AccountId } from "#domain/Ids.ts"
import * as InputWeight from "#src/kernel/memory/InputWeight.ts"
import * as MemoryBudget from "#src/kernel/limits/MemoryBudget.ts"
import * as LimitErrorAnswers from "../LimitErrorAnswers.ts"
import * as ErrorAnswer from "../ErrorAnswer.ts"

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

export class BodyMemory {
  readonly #budget: MemoryBudget.MemoryBudget
  readonly #account: AccountId
  /** `null` while nothing is counted, as for most bodies. */
  #leases: Array<MemoryBudget.Lease> | null = null
  #held = small

  constructor(budget: MemoryBudget.MemoryBudget, account: AccountId) {
    this.#budget = budget
    this.#account = account
  }

  /** Called as bytes of a body of unknown length arrive. Returns a refusal, or `null` to go on. */
  grow(bytes: number): ErrorAnswer.ErrorAnswer | null {
    const needed = InputWeight.ofSubmit(bytes, 0)
    if (needed <= this.#held) return null
    // Takes twice the need, so that a long body asks only a few times.
    const taken = this.#budget.take(this.#account, 2 * needed - this.#held)
    if (MemoryBudget.isFull(taken)) return errorAnswerOf(taken, this.#budget)
    this.#keep(taken)
    return null
  }

  /** Returns when there is memory for that many bytes of text with `values` (`JsonScan`). Waits for a few seconds. */
  cover(bytes: number, values: number): Effect.Effect<void, ErrorAnswer.ErrorAnswer> {
    const needed = InputWeight.ofSubmit(bytes, values)
    return needed <= this.#held ? Effect.void : Effect.suspend(() => this.#take(needed - this.#held))
  }

  /** Whether nothing is counted. */
  isFree(): boolean {
    return this.#leases === null || this.#leases.length === 0
  }

  release(): void {
    for (const lease of this.#leases?.splice(0) ?? []) lease.release()
  }

  #keep(lease: MemoryBudget.Lease): void {
    this.#leases ??= []
    this.#leases.push(lease)
    this.#held += lease.bytes
  }

  #take(bytes: number): Effect.Effect<void, ErrorAnswer.ErrorAnswer> {
    const taken = this.#budget.take(this.#account, bytes)
    if (!MemoryBudget.isFull(taken)) return Effect.sync(() => this.#keep(taken))
    return this.#budget.wait(this.#account, bytes).pipe(
      Effect.timeoutOrElse({
        duration: patience,
        orElse: () => Effect.fail(errorAnswerOf(taken, this.#budget))
      }),
      Effect.map((lease) => this.#keep(lease))
    )
  }
}
