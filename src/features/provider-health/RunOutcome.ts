/** The ends of runs, as they count for their provider. */
import type { ProviderOutcome } from "#domain/Outcome.ts"
import type * as Circuit from "./Circuit.ts"

export const outcomes = [
  "succeeded",
  "model_failed",
  "refused",
  "transport_error",
  "rate_limited",
  "lost",
  "unreachable",
  "stopped",
  "timed_out"
] as const
export type Outcome = (typeof outcomes)[number]

export const outcomeOf = (outcome: ProviderOutcome): Outcome => {
  switch (outcome._tag) {
    case "Succeeded":
      return "succeeded"
    case "ModelFailed":
      return "model_failed"
    case "ProviderError":
      return outcome.retryable ? "transport_error" : "refused"
    case "RateLimited":
      return "rate_limited"
    case "Lost":
      return "lost"
    case "Unreachable":
      return "unreachable"
    case "Stopped":
    case "CutShort":
      return "stopped"
  }
}

/** Statuses of overload and of gateways without a server behind them, as Cloudflare has them from 520 on. */
const overload: ReadonlySet<number> = new Set([408, 425, 429, 502, 503, 504, 529])
const isOverload = (status: number): boolean => overload.has(status) || (status >= 520 && status <= 527)

/** How a run failed: by its provider's own word, with a status, or without an answer. */
export const failureOf = (outcome: ProviderOutcome): "faulted" | "overloaded" | "failed" => {
  const status = outcome._tag === "ProviderError" ? outcome.upstream?.status : undefined
  if (status === undefined) return "failed"
  return isOverload(status) ? "overloaded" : "faulted"
}

const answered: Circuit.Sign = { _tag: "answered" }

type Failed = Exclude<Circuit.Sign, { readonly _tag: "answered" }>

export interface About extends Omit<Failed, "_tag"> {
  /** For a run that timed out: whether its provider had reported on it. */
  readonly isHeardOf: boolean
  readonly failure: Failed["_tag"]
}

/** A refusal is an answer, too; a rate limit only sets a pause. */
export const signOf = (
  outcome: Outcome,
  { failure, input, isHeardOf, request }: About
): Circuit.Sign | null => {
  switch (outcome) {
    case "succeeded":
    case "model_failed":
    case "refused":
    case "stopped":
      return answered
    case "transport_error":
    case "lost":
      return { _tag: failure, input, request }
    // A timeout of a provider that reports is the fault of the input.
    case "timed_out":
      return isHeardOf ? null : { _tag: "failed", input, request }
    case "rate_limited":
    // `Unreached` handles it: a provider that was never reached has neither answered nor failed.
    case "unreachable":
      return null
  }
}

export const none = (): Record<Outcome, number> => ({
  succeeded: 0,
  model_failed: 0,
  refused: 0,
  transport_error: 0,
  rate_limited: 0,
  lost: 0,
  unreachable: 0,
  stopped: 0,
  timed_out: 0
})

/** Characters of a provider's message that are kept. */
const longestMessage = 200

export const messageOf = (outcome: ProviderOutcome): string | null =>
  "message" in outcome ? outcome.message.slice(0, longestMessage) : null

/** The outcomes after which an operator may want to know why. */
export const isError = (outcome: Outcome): boolean => outcome !== "succeeded" && outcome !== "stopped"
