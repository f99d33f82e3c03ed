/** How clients of a server understand its refusals. */
import { Option, Result, Schema } from "effect"
import type { HttpClientResponse } from "effect/http/HttpClientResponse"
import * as JsonText from "#domain/JsonText.ts"
import { version } from "#src/kernel/program/ReleaseVersion.ts"
import { releaseHeader } from "./ReleaseHeader.ts"
import { AdministrationFailed } from "./Operation.ts"

/** How calls reach a server. */
export interface Target {
  /** Without a trailing slash. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** How messages name the server: `The running server`. */
  readonly name: string
}

export const notCarriedOut = ({ name }: Target, detail: string) =>
  new AdministrationFailed({ reason: `${name} did not carry out the command: ${detail}` })

/** The answer remembers its text. */
export const parse = (text: string) => Result.try(() => JsonText.parse(text))

const Envelope = Schema.Struct({
  error: Schema.Union([
    Schema.String,
    Schema.Array(
      Schema.Struct({
        path: Schema.Array(Schema.Union([Schema.String, Schema.Finite])),
        message: Schema.String
      })
    )
  ]),
  details: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
})

const decodeEnvelope = Schema.decodeUnknownOption(Envelope)

const textOf = ({ error }: typeof Envelope.Type): string =>
  typeof error === "string"
    ? error
    : error.map(({ message, path }) => `${path.join(".")} ${message}`).join("; ")

/** What to say of another release, whose operations may differ. */
export const releases = ({ headers }: HttpClientResponse): string => {
  const release = headers[releaseHeader]
  return release === undefined || release === version
    ? ""
    : ` (the server is release ${release}, this command ${version})`
}

/** The error of an operation that the answer names; `null` for another error. */
type Declared = (code: string, fields: Readonly<Record<string, unknown>>) => unknown

/** Why a server did not carry out `name`. */
export const refused = (
  target: Target,
  name: string,
  declared: Declared,
  response: HttpClientResponse,
  body: unknown
) => {
  const envelope = decodeEnvelope(body)
  if (Option.isNone(envelope)) {
    return notCarriedOut(
      target,
      `it answers ${response.status}, and not as an inferlog server of release ${version} does`
    )
  }
  const { details = {} } = envelope.value
  const { about, code } = details
  const found = typeof code === "string" ? declared(code, { ...Object(about) }) : null
  if (found !== null) return found
  if (response.status === 401) {
    return notCarriedOut(target, "the operator key is not valid: it may be wrong, revoked or expired")
  }
  const isUnknown = response.status === 404 || response.status === 405
  return notCarriedOut(
    target,
    isUnknown
      ? `it does not serve ${name}: it is another release, or does not serve administration at this address${releases(response)}`
      : textOf(envelope.value) + releases(response)
  )
}
