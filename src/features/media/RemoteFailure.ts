/** Why a file of an output is not available. Messages are fixed and contain no URL, host or address. */
import { Schema, Struct } from "effect"

const refusals = {
  unsupported_source: "The output names a file by something other than an https URL or a data: URI.",
  malformed_data_uri: "The output holds a malformed data: URI.",
  malformed_url: "The output names a file by a malformed URL.",
  url_too_long: "The output names a file by a URL of more than 2,048 characters.",
  not_https: "The output names a file by a URL that is not https, or that redirects to one.",
  credentials: "The output names a file by a URL with a user name or password.",
  forbidden_address: "The output names a file at an address that may not be called.",
  too_large: "The output names a file that is too large: at most 1 GiB are copied.",
  too_many_redirects:
    "The output names a file behind more than five redirects, or behind one that leads nowhere.",
  bad_certificate: "The output names a file on a server that has no valid certificate.",
  refused: "The server of a file in the output refused to give it.",
  not_found: "The output names a file of this service that is not there."
} as const

interface Circumstances {
  readonly status?: number
  readonly path?: string
}

/** A model's output may have members with names of any length. */
const mostOfPath = 256

const told = (text: string, { path = "", status }: Circumstances): string => {
  const answered = status === undefined ? "" : ` It answered with status ${status}.`
  const shown = path.length > mostOfPath ? `${path.slice(0, mostOfPath)}…` : path
  return `${text}${answered}${shown === "" ? "" : ` Its place in the output is ${shown}.`}`
}

const circumstances = {
  /** Status of the server's answer, if there was one. */
  status: Schema.optionalKey(Schema.Int),
  /** The JSON pointer of the file in the output. */
  path: Schema.optionalKey(Schema.String)
}

/** The output is at fault, or its server for good: a retry gives the same result. */
export class RemoteRefused extends Schema.TaggedError<RemoteRefused>()("RemoteRefused", {
  reason: Schema.Literals(Struct.keys(refusals)),
  ...circumstances
}) {
  override get message(): string {
    return told(refusals[this.reason], this)
  }
}

const outages = {
  unreachable: "A file in the output could not be downloaded.",
  storage: "A file in the output could not be read from or written to storage."
} as const

/** A later try may succeed. `unreachable`: no answer, or one of an outage; `storage`: our fault. */
export class RemoteUnavailable extends Schema.TaggedError<RemoteUnavailable>()("RemoteUnavailable", {
  reason: Schema.Literals(Struct.keys(outages)),
  ...circumstances
}) {
  override get message(): string {
    return told(outages[this.reason], this)
  }
}
