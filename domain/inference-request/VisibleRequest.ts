/**
 * What clients are told of a request: every `Request` is that. Where its events are not at hand it may be made of less
 * (`src/features/requests/FromHistory.ts`), so that it asks for nothing that is not told.
 */
import type { Billing, RequestSubmitted } from "./Event.ts"
import type { Erasure, Open, Request, Terminal } from "./State.ts"

type Completed = Extract<Terminal, { readonly _tag: "Completed" }>

export type VisiblePhase =
  | {
      readonly _tag: Open["_tag"]
      /** Of a run under way; Unix time in ms. */ readonly runStartedAt?: number
    }
  | (Omit<Completed, "billing"> & { readonly billing: Omit<Billing, "units"> })
  | Exclude<Terminal, Completed>

export interface VisibleRequest
  extends
    Pick<Request, "startedAt" | "logs" | "violations" | "media" | "output">,
    Partial<Pick<Request, "progress">> {
  readonly phase: VisiblePhase
  readonly erasure: Pick<Erasure, "at"> | null
  readonly submitted: Pick<
    RequestSubmitted,
    "at" | "ahead" | "accountId" | "model" | "metadata" | "webhook" | "expectedMs"
  > &
    /** Absent when nothing is known of what it carries. */
    Partial<Pick<RequestSubmitted, "payloads">>
}
