import type { Billing } from "#domain/inference-request/Event.ts"
import type { Quote } from "#domain/Pricing.ts"
import type { PayloadTexts, Snapshot } from "./Requests.ts"

export interface Bill {
  /** The price when it was accepted. */
  readonly quote: Quote
  /** `null` while nothing is charged. */
  readonly billed: Billing | null
}

/** Details that a list can add. */
export type Expansion = "payloads" | "billing"
export const expansions: ReadonlyArray<Expansion> = ["payloads", "billing"]

export interface ListedRequest {
  /** As in the history: without payloads, log lines and schema violations. */
  readonly snapshot: Snapshot
  /** `null` if not requested; "omitted" if the answer had no room. */
  readonly payloads: PayloadTexts | "omitted" | null
  /** `null` if not requested. */
  readonly bill: Bill | null
}
