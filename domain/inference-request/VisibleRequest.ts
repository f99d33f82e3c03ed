/**
 * The part of a `Request` that clients see. `src/features/requests/FromHistory.ts` builds it without the events, so it
 * requires nothing that clients do not see.
 */
import type { Billing, RequestSubmitted } from "./Event.ts"
import type { Erasure, Open, Request, Terminal } from "./State.ts"

type Completed = Extract<Terminal, { readonly _tag: "Completed" }>

export type VisiblePhase =
  | {
      readonly _tag: Open["_tag"]
      /** Start of the current run, Unix time in ms. */ readonly runStartedAt?: number
    }
  | (Omit<Completed, "billing"> & { readonly billing: Omit<Billing, "units"> })
  | Exclude<Terminal, Completed>

export interface VisibleRequest
  extends
    Pick<Request, "startedAt" | "logs" | "violations" | "media" | "output">,
    Partial<Pick<Request, "progress" | "isCut">> {
  readonly phase: VisiblePhase
  readonly erasure: Pick<Erasure, "at"> | null
  readonly submitted: Pick<
    RequestSubmitted,
    "at" | "ahead" | "accountId" | "token" | "model" | "metadata" | "webhook" | "expectedMs"
  > &
    /** Absent in the history. */
    Partial<Pick<RequestSubmitted, "payloads" | "modelVersion">>
}
