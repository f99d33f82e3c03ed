import { classOf, nameOfCode } from "./ErrorAnswer.ts"
import type { Outcome, RetrievedRequest } from "./Wire.ts"

/** The code of each outcome without an output, which names its class. */
const codes: Readonly<Partial<Record<Outcome, string>>> = {
  failed: "REQUEST_FAILED",
  cancelled: "REQUEST_CANCELLED",
  expired: "REQUEST_EXPIRED",
  provider_failed: "UPSTREAM_FAILURE",
  invalid_output: "INVALID_OUTPUT"
}

/** The output of an ended request. Throws a `RequestOutcomeError` for one without, as the result route would answer. */
export const outputOf = (request: RetrievedRequest): unknown => {
  const { error, outcome, output, status } = request
  const named = codes[outcome]
  if (named === undefined) return output
  const name = nameOfCode(named)
  // The server has one code for both.
  const code = outcome === "expired" ? "REQUEST_CANCELLED" : named
  throw new (classOf(name))(
    {
      name,
      message: error ?? `The request ended without an output: ${outcome}`,
      status: status === "COMPLETED" ? 422 : 400,
      code,
      issues: [],
      details: { code, ...request.details },
      requestId: undefined,
      retryAfter: null
    },
    request
  )
}
