/** How a receiver's answer, or the lack of one, counts (contract, "Success and retry rules"). */
import type { AttemptResult } from "#domain/webhook-delivery/Command.ts"
import type { OutboundError, OutboundRefused } from "#src/kernel/outbound/OutboundError.ts"

const errorOf = (status: number) => {
  if (status === 410) return "gone"
  return status >= 300 && status <= 399 ? "redirect_refused" : (`http_${status}` as const)
}

/** Any 2xx is a success, and nothing else. */
export const ofAnswer = ({ status }: { readonly status: number }): AttemptResult =>
  status >= 200 && status <= 299
    ? { _tag: "Succeeded", responseStatus: status }
    : { _tag: "Failed", responseStatus: status, error: errorOf(status) }

/** Whatever the guard refuses a URL for, it may not be called: that is one word. */
export const ofError = (error: OutboundRefused | OutboundError): AttemptResult => ({
  _tag: "Failed",
  responseStatus: null,
  error: error._tag === "OutboundRefused" ? "private_address" : error.reason
})

/** Whether the receiver answers, whatever it says; `null` when it was not asked. */
export const hasAnswered = (result: AttemptResult): boolean | null => {
  if (result._tag === "Succeeded") return true
  if (result.error === "private_address") return null
  return result.responseStatus !== null
}
