/** What an audit proves, by name, and the first event that breaks one of them (docs/reference/cli.md, "audit"). */
import { Schema } from "effect"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"

export const Invariant = Schema.Literals([
  /** Events, their order and their payloads are what was written (`streams/Verify`). */
  "chain",
  /** Events of accounts and requests are of a known shape, and money moves by them alone. */
  "known events",
  /** The postings of every entry sum to zero, and so do all accounts of the books. */
  "balanced books",
  /** An account is opened, once, before anything is held or paid in for it, and nothing is paid in after its closing. */
  "open account",
  /** What is paid in is positive. */
  "positive top-up",
  /** There is one top-up under each payment id of an account. */
  "one top-up per payment",
  /** A request's stream begins with its submit, and has no other. */
  "submitted first",
  /** What is held is what the quote says for the most that may be delivered. */
  "hold as quoted",
  /** A request ends once. After it nothing comes but late reports and what erasing needs. */
  "one end",
  /** What is charged was delivered by the same run, and was not rejected; files that it names are stored. */
  "delivered before charged",
  /** The charge follows from the quote and what was delivered, and is `partial` when that is less than asked for. */
  "charge as quoted",
  /** Nothing is charged for a run that failed. */
  "no charge for a failure",
  /** The forced end comes after its retries, and no earlier than it may. */
  "forced end in time",
  /** What is held of an account's money is the sum of the holds of its requests that have not ended. */
  "held for open requests",
  /** Balances, holds, limits and what keys have spent in the read model are those of the log. */
  "read model"
])
export type Invariant = typeof Invariant.Type

/** The first place where the log does not keep what it has to. */
export class AuditFailed extends Schema.TaggedError<AuditFailed>()("AuditFailed", {
  position: Schema.String,
  invariant: Invariant,
  reason: Schema.String
}) {
  override get message(): string {
    return `The audit failed at position ${this.position}: ${this.invariant}: ${this.reason}`
  }
}

/** `reason` goes on with `type of stream:`. */
export const brokenBy = (event: RecordedEvent, invariant: Invariant, reason: string): AuditFailed =>
  new AuditFailed({
    position: event.position,
    invariant,
    reason: `${event.type} of ${event.stream}: ${reason}`
  })
