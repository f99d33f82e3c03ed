/** What each rule of the audit says (docs/reference/cli.md, "What is proven, and what is not"). */
import type { Invariant } from "#src/features/billing/audit/Invariant.ts"

const rules: Readonly<Record<Invariant, string>> = {
  chain: "Events, their order and their payloads must be as they were written.",
  "known events": "Events of accounts and requests must have a known form, and nothing else may move money.",
  "balanced books": "Every entry takes from one account what it gives to another, so all together are zero.",
  "open account":
    "An account is opened once, before money is held or paid in, and gets nothing after its closing.",
  "positive top-up": "A payment must be positive.",
  "one top-up per payment": "A payment counts once.",
  "submitted first": "A request begins with its submit, and has no other.",
  "hold as quoted": "The hold must be the quoted price of the most that may be delivered.",
  "one end": "A request ends once. After it come only late reports, and what erasing needs.",
  "delivered before charged":
    "A charge must be for an output of the same run that was not rejected, with its files stored.",
  "charge as quoted":
    "The charge must follow from the quote and what was delivered, and be at most the hold.",
  "no charge for a failure": "A run that failed is not charged.",
  "forced end in time": "A request is ended by force only after five retries of the sweep and six hours.",
  "held for open requests": "Held money must be the sum of the holds of requests that have not ended.",
  "read model": "Balances, holds, limits and spending that the console shows must be those of the log."
}

const isRule = (name: string): name is Invariant => name in rules

export const textOf = (name: string): string => (isRule(name) ? rules[name] : "")
