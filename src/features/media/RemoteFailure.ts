/** Why a file of an output is not available. Messages are fixed and contain no URL, host or address. */
import { Schema, Struct } from "effect"

const refusals = {
  unsupported_source: "The output names a file by something other than an https URL or a data: URI.",
  malformed_data_uri: "The output holds a malformed data: URI.",
  forbidden_address: "The output names a file at an address that may not be called.",
  too_large: "The output names a file that is too large: at most 1 GiB are copied.",
  not_found: "The output names a file of this service that is not there."
} as const

/** The output is at fault: a retry gives the same result. */
export class RemoteRefused extends Schema.TaggedError<RemoteRefused>()("RemoteRefused", {
  reason: Schema.Literals(Struct.keys(refusals))
}) {
  override get message(): string {
    return refusals[this.reason]
  }
}

const outages = {
  not_given: "The server of a file in the output did not give it.",
  unreachable: "A file in the output could not be downloaded.",
  storage: "A file in the output could not be read from or written to storage."
} as const

/** A later try may succeed. `not_given`: answered without the file; `unreachable`: no answer; `storage`: our fault. */
export class RemoteUnavailable extends Schema.TaggedError<RemoteUnavailable>()("RemoteUnavailable", {
  reason: Schema.Literals(Struct.keys(outages)),
  /** Status of the server's answer, if there was one. */
  status: Schema.optionalKey(Schema.Int)
}) {
  override get message(): string {
    const told = outages[this.reason]
    return this.status === undefined ? told : `${told} It answered with status ${this.status}.`
  }
}
