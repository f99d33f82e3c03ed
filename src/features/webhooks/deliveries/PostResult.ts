/** How a receiver's answer, or its absence, counts (contract, "Success and retry rules"). */
import { Cause, Exit, Result } from "effect"
import type { AttemptResult } from "#domain/webhook-delivery/Command.ts"
import type { OutboundError, OutboundRefused } from "#src/kernel/outbound/OutboundError.ts"
import type { PostEnd } from "#src/kernel/outbound/Posting.ts"

const errorOf = (status: number) => {
  if (status === 410) return "gone"
  return status >= 300 && status <= 399 ? "redirect_refused" : (`http_${status}` as const)
}

/** Only 2xx is a success. */
export const ofAnswer = ({ status }: { readonly status: number }): AttemptResult =>
  status >= 200 && status <= 299
    ? { _tag: "Succeeded", responseStatus: status }
    : { _tag: "Failed", responseStatus: status, error: errorOf(status) }

/** All refusals of the guard share one word. */
const ofError = (error: OutboundRefused | OutboundError): AttemptResult => ({
  _tag: "Failed",
  responseStatus: null,
  error: error._tag === "OutboundRefused" ? "private_address" : error.reason
})

/** Fails for a post that ended with a bug or with the program. */
export const of = (end: PostEnd): Result.Result<AttemptResult, Cause.Cause<never>> =>
  Exit.isSuccess(end) ? Result.succeed(ofAnswer(end.value)) : Result.map(Cause.findError(end.cause), ofError)

/** Whether the receiver answered; `null` if it was not called. */
export const hasAnswered = (result: AttemptResult): boolean | null => {
  if (result._tag === "Succeeded") return true
  if (result.error === "private_address") return null
  return result.responseStatus !== null
}
