/** The form of the sign-in page. */
import { isUtf8 } from "node:buffer"
import { Redacted, Result } from "effect"
import * as Refusal from "#src/edges/http/Refusal.ts"
import * as BodyHeaders from "#src/edges/http/requests/BodyHeaders.ts"
import type { RequestHeaders } from "#src/edges/http/requests/RequestHeaders.ts"

/** Bytes. */
export const maxBytes = 16 * 1024

export interface SignInBody {
  readonly decision: "allow" | "deny"
  readonly token: string
  /** Missing fields are empty. */
  readonly apiKey: Redacted.Redacted
  readonly account: string
  readonly password: Redacted.Redacted
}

const notAForm = new Refusal.Refusal({
  status: 415,
  error: "The form must be sent as Content-Type: application/x-www-form-urlencoded."
})
const unreadable = Refusal.malformed("The form could not be read.")
const twice = Refusal.malformed("A field of the form was sent more than once.")
const undecided = Refusal.malformed("The form says neither that it allows nor that it denies.")

const urlEncoded = /^application\/x-www-form-urlencoded\s*(;\s*charset="?utf-8"?\s*)?$/i

/** Whether the headers announce such a form. */
export const check = (headers: RequestHeaders): Result.Result<void, Refusal.Refusal> =>
  urlEncoded.test(headers["content-type"] ?? "")
    ? Result.flatMap(BodyHeaders.checkEncoding(headers), () => BodyHeaders.checkLength(headers, maxBytes))
    : Result.fail(notAForm)

const isDecision = (text: string): text is SignInBody["decision"] => text === "allow" || text === "deny"

export const parse = (bytes: Uint8Array): Result.Result<SignInBody, Refusal.Refusal> => {
  if (!isUtf8(bytes)) return Result.fail(unreadable)
  const fields = new URLSearchParams(Buffer.from(bytes).toString())
  if (new Set(fields.keys()).size !== fields.size) return Result.fail(twice)
  const field = (name: string): string => fields.get(name) ?? ""
  const decision = field("decision")
  if (!isDecision(decision)) return Result.fail(undecided)
  return Result.succeed({
    decision,
    token: field("csrf"),
    apiKey: Redacted.make(field("api_key")),
    account: field("account"),
    password: Redacted.make(field("password"))
  })
}
