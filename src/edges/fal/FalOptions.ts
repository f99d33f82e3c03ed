/** The options that fal's client sends as headers: each works or is refused, so that none is lost silently. */
import { Effect } from "effect"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import type { RequestHeaders } from "#src/edges/http/requests/RequestHeaders.ts"
import * as Target from "./Target.ts"

const timeout = "x-fal-request-timeout"
const priority = "x-fal-queue-priority"

const reasons: Readonly<Record<string, string>> = {
  "x-fal-runner-hint": "hint: requests go to any worker of their model",
  "x-fal-no-retry": "x-fal-no-retry: the model's manifest says how often a run is tried again",
  "x-fal-store-io":
    "x-fal-store-io: inputs and outputs are kept as the service is configured, or until they are erased",
  "x-fal-object-lifecycle-preference": "storageSettings: files are kept as the service is configured",
  "x-fal-object-lifecycle": "lifecycle: files are kept as the service is configured"
}

const refuse = (what: string): ErrorAnswer.ErrorAnswer =>
  ErrorAnswer.coded(422, "OPTION_UNSUPPORTED", `This option is not supported, so leave it out: ${what}.`)

const isOfFal = (name: string): boolean => name.startsWith("x-fal-") || name.startsWith("x-app-fal-")

/** As an own header name, which is short ASCII. */
const shown = (name: string): string => name.slice(0, 64)

/** The refusal of an option that has no meaning here; `null` without one. */
const refused = (headers: RequestHeaders): ErrorAnswer.ErrorAnswer | null => {
  for (const name of Object.keys(headers)) {
    if (!isOfFal(name) || name === Target.header || name === timeout) continue
    if (name === priority) {
      // The client sends it with every submit.
      if (headers[name] === "normal") continue
      return refuse('priority: "normal" is the only one')
    }
    return refuse(reasons[name] ?? `the header ${shown(name)}`)
  }
  return null
}

const malformedTimeout = ErrorAnswer.coded(
  422,
  "TIMEOUT_INVALID",
  "startTimeout must be seconds, above 0 and at most 30 days."
)

/** Whole seconds. */
const wholeSeconds = (text: string): string | null => {
  const seconds = /^\d{1,8}(\.\d{1,9})?$/.test(text) ? Math.ceil(Number(text)) : 0
  return seconds > 0 ? String(seconds) : null
}

/** The headers of the same call to `POST /{owner}/{model}`. */
export const translate = (
  headers: RequestHeaders
): Effect.Effect<RequestHeaders, ErrorAnswer.ErrorAnswer> => {
  const refusal = refused(headers)
  if (refusal !== null) return Effect.fail(refusal)
  const given = headers[timeout]
  if (given === undefined) return Effect.succeed(headers)
  const seconds = wholeSeconds(given)
  return seconds === null
    ? Effect.fail(malformedTimeout)
    : Effect.succeed({ ...headers, "x-request-start-timeout": seconds })
}
