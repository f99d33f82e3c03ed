/** The invariants that an audit proves, and the first event that breaks one (docs/reference/cli.md, "audit"). */
import { Schema } from "effect"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"

export const Invariant = Schema.Literals([
  /** Events, their order and their payloads are unchanged (`streams/Verify`). */
  "chain",
  /** Events of accounts and requests have a known form, and only they move money. */
  "known events",
  /** The postings of every entry sum to zero, and so do all accounts. */
  "balanced books",
  /** An account is opened once, before any hold or payment, and gets no payment after its closing. */
  "open account",
  /** Payments are positive. */
  "positive top-up",
  /** An account has one top-up per payment id. */
  "one top-up per payment",
  /** A request's stream begins with its only submit. */
  "submitted first",
  /** The hold is the quote's price for the most that may be delivered. */
  "hold as quoted",
  /** A request ends once. Only late reports and erasure events may follow. */
  "one end",
  /** Charged units were delivered by the same run and not rejected, and its named files are stored. */
  "delivered before charged",
  /** The charge follows from quote and delivery, and is `partial` if less than requested was delivered. */
  "charge as quoted",
  /** A failed run is not charged. */
  "no charge for a failure",
  /** A forced end follows its retries and comes no earlier than allowed. */
  "forced end in time",
  /** An account's held money is the sum of the holds of its open requests. */
  "held for open requests",
  /** Balances, holds, limits and keys' spending in the read model match the log. */
  "read model"
])
export type Invariant = typeof Invariant.Type

/** The first violation. */
export class AuditFailed extends Schema.TaggedError<AuditFailed>()("AuditFailed", {
  position: Schema.String,
  invariant: Invariant,
  reason: Schema.String
}) {
  override get message(): string {
    return `The audit failed at position ${this.position}: ${this.invariant}: ${this.reason}`
  }
}

/** `reason` continues after `type of stream:`. */
export const brokenBy = (event: RecordedEvent, invariant: Invariant, reason: string): AuditFailed =>
  new AuditFailed({
    position: event.position,
    invariant,
    reason: `${event.type} of ${event.stream}: ${reason}`
  })
