/** One request of a page of the history. */
import type { Billing } from "#domain/inference-request/Event.ts"
import type { Quote } from "#domain/Pricing.ts"
import type { PayloadTexts, Snapshot } from "./Requests.ts"

export interface Bill {
  /** What it was accepted at. */
  readonly quote: Quote
  /** `null` while nothing was charged, and for ever where nothing is. */
  readonly billed: Billing | null
}

/** What a list can add to each request. */
export type Expansion = "payloads" | "billing"
export const expansions: ReadonlyArray<Expansion> = ["payloads", "billing"]

export interface ListedRequest {
  /** As the history tells it: without payloads, log lines, and where its output breaks the schema. */
  readonly snapshot: Snapshot
  /** `null` when they were not asked for; "omitted" when the answer had no room left for them. */
  readonly payloads: PayloadTexts | "omitted" | null
  /** `null` when it was not asked for. */
  readonly bill: Bill | null
}
