/** The meaning of error answers, for all protocols over HTTP. */
import { Clock, Effect } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import type { ProviderBinding } from "#domain/catalog/ProviderBinding.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import type { UpstreamError } from "#domain/UpstreamError.ts"
import type { NoAnswer } from "./NoAnswer.ts"
import type { ProviderAnswer } from "./ProviderHttp.ts"
import * as ProviderJson from "./ProviderJson.ts"
import * as UpstreamErrors from "./UpstreamErrors.ts"

/** Characters of a provider's text that are shown. */
const maxTextLength = 1_000

/** How long to pause a provider that names no time, ms. */
const defaultRetryAfterMs = 5_000

/** How long to pause a provider that requires payment, ms. Accepted requests wait meanwhile. */
export const unpaidMs = 10 * 60 * 1_000

// oxlint-disable-next-line no-control-regex -- they are what is to be found
const control = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]+/g

/** A provider's text, shortened and without control characters. */
export const clean = (text: string): string =>
  text
    .slice(0, 2 * maxTextLength)
    .toWellFormed()
    .replace(control, " ")
    .trim()
    .slice(0, maxTextLength)

/** The same for a log line, whose indentation is kept. */
export const cleanLine = (line: string): string =>
  line.slice(0, maxTextLength).toWellFormed().replace(control, " ").replaceAll("\n", " ").trimEnd()

export const failed = (
  message: string,
  retryable: boolean,
  upstream: UpstreamError = {}
): ProviderOutcome => ({
  _tag: "ProviderError",
  message,
  retryable,
  ...UpstreamErrors.member(upstream)
})

/** The model ran and failed. `said` is the provider's reason. */
export const modelFailed = (said: Json | undefined, status?: number): ProviderOutcome => ({
  _tag: "ModelFailed",
  message: saidIn(said) ?? "The provider reports that the run has failed.",
  ...UpstreamErrors.member(UpstreamErrors.of(said, status))
})

/** An answer outside the protocol. The model has run, so the run is not repeated because of the form of its answer. */
export const babble: ProviderOutcome = {
  _tag: "ModelFailed",
  message: "The provider's answer is not one of its protocol."
}

/** Something that is no JSON in the place of `what`: an answer, a chunk. */
export const notJson = (fault: ProviderJson.Fault, what = "answer"): ProviderOutcome => ({
  _tag: "ModelFailed",
  message: `The provider's ${what} is ${fault}.`
})

/** A successful answer that says nothing in the protocol. */
export const ofForm = ({ fault }: Pick<ProviderAnswer, "fault">): ProviderOutcome =>
  fault === null ? babble : notJson(fault)

/** The data of an event that says nothing in the protocol. */
export const ofEvent = ({ data }: { readonly data: string }): ProviderOutcome => {
  const fault = ProviderJson.faultIn(data)
  return fault === null ? babble : notJson(fault, "event")
}

/** A stream of events without the one that ends the run. */
export const cutOff: ProviderOutcome = failed("The provider's stream ended before the run did.", true)

export const lost: ProviderOutcome = { _tag: "Lost", message: "The provider does not know the run any more." }

/** The variable may be set at the next start. `ProviderHttp.secret` has logged its name. */
export const secretMissing: ProviderOutcome = failed("The provider's credential is not configured.", true)

/** Whether the binding's credential is missing, so that the run ends in `secretMissing`. */
export const isSecretMissing = (binding: ProviderBinding, secret: unknown): boolean =>
  binding.secretEnv !== undefined && secret === null

const noAnswerWords: Readonly<Record<NoAnswer["reason"], string>> = {
  connect_timeout: "no connection could be made in time",
  connection_refused: "its address refuses connections",
  connection_lost: "the connection was lost",
  timeout: "it took too long",
  too_large: "its answer is too large",
  undecodable: "compressed, and cannot be decompressed",
  tls_error: "its certificate is not accepted",
  dns_error: "its name cannot be resolved"
}

/** An answer that is too large will be so again, and one that cannot be decoded is one; other failures may pass. */
export const ofNoAnswer = ({ reason }: NoAnswer): ProviderOutcome =>
  reason === "undecodable"
    ? notJson(noAnswerWords.undecodable)
    : failed(`The provider gave no answer: ${noAnswerWords[reason]}.`, reason !== "too_large")

/** For a call that submits a run: without a connection the provider never got it. Not for later questions. */
export const ofNoHandOver = (error: NoAnswer): ProviderOutcome => {
  switch (error.reason) {
    case "connection_refused":
    case "connect_timeout":
    case "dns_error":
    case "tls_error":
      return {
        _tag: "Unreachable",
        reason: error.reason,
        message: `The provider cannot be reached: ${noAnswerWords[error.reason]}.`
      }
    case "connection_lost":
    case "timeout":
    case "too_large":
    case "undecodable":
      return ofNoAnswer(error)
  }
}

/** Whether the provider may have acted on a call that got no answer. */
export const mayBeTaken = ({ reason }: NoAnswer): boolean =>
  reason === "timeout" || reason === "connection_lost"

/** `Retry-After` (RFC 9110 10.2.3), seconds or a date, in ms from `now`; `null` if absent or malformed. */
export const retryAfterMs = (headers: ProviderAnswer["headers"], now: number): number | null => {
  const text = headers["retry-after"]?.trim()
  if (text === undefined || text === "") return null
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1_000
  const at = Date.parse(text)
  return Number.isNaN(at) ? null : Math.max(at - now, 0)
}

const refusal = "The provider refused the run with status"
const refusalForm = new RegExp(`^${refusal} (4\\d\\d)(?:\\.$|: (.*)$)`, "s")

/** The status and the provider's text in the message of a run that it refused; `null` for other messages. */
export const refusalIn = (
  message: string
): { readonly status: number; readonly said: string | null } | null => {
  const [match, status, said = null] = refusalForm.exec(message) ?? []
  return match === undefined ? null : { status: Number(status), said }
}

export const isSuccess = ({ status }: Pick<ProviderAnswer, "status">): boolean =>
  status >= 200 && status <= 299

/**
 * The meaning of a status other than 2xx: 429, and 503 with `Retry-After`, are `RateLimited`, and so is 402, for
 * longer; 408, 425 and 5xx may pass; all others are final. The text of a 4xx is shown, unless it may concern the
 * credential.
 */
export const ofAnswer = (answer: ProviderAnswer): Effect.Effect<ProviderOutcome> =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    const { headers, json, status } = answer
    const asked = retryAfterMs(headers, now)
    if (status === 429 || (status === 503 && asked !== null)) {
      return { _tag: "RateLimited", retryAfterMs: asked ?? defaultRetryAfterMs }
    }
    if (status === 402) return { _tag: "RateLimited", retryAfterMs: Math.max(asked ?? 0, unpaidMs) }
    if (isSuccess(answer)) return ofForm(answer)
    if (status === 401 || status === 403) {
      return failed(`The provider does not accept the credential (status ${status}).`, false, { status })
    }
    const upstream = UpstreamErrors.of(json, status)
    if (status >= 500) return failed(`The provider failed with status ${status}.`, true, upstream)
    if (status === 408 || status === 425)
      return failed(`The provider asks to try again (status ${status}).`, true, upstream)
    if (status < 400)
      return failed(`The provider answered with status ${status}; redirects are not followed.`, false)
    const said = saidIn(json)
    const refused = `${refusal} ${status}`
    return failed(said === null ? `${refused}.` : `${refused}: ${said}`, false, upstream)
  })

const wordMembers = ["message", "msg", "detail", "error", "title", "errors"] as const

/** The first text in the usual places of an error message; `null` without one. */
export const saidIn = (json: Json | undefined, depth = 0): string | null => {
  if (typeof json === "string") return clean(json) || null
  if (json === null || json === undefined || typeof json !== "object" || depth > 4) return null
  if (isList(json)) {
    const said = json.slice(0, 5).flatMap((item) => saidIn(item, depth + 1) ?? [])
    return said.length === 0 ? null : clean(said.join("; "))
  }
  for (const name of wordMembers) {
    const said = Object.hasOwn(json, name) ? saidIn(json[name], depth + 1) : null
    if (said !== null) return said
  }
  return null
}

const isList: (json: Json) => json is ReadonlyArray<Json> = Array.isArray
