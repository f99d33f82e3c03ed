/** The version of a stream, and the version that a writer expects. Versions are opaque: compare them for equality only. */
import { Schema } from "effect"

export const Version = Schema.String.pipe(Schema.brand("Version"))
export type Version = typeof Version.Type

/** A version from the backend itself, unchecked. */
export const trustedVersion = (text: string): Version => text as Version

/** `Any` always matches, `NoStream` requires a stream without events, a version requires exactly that last event. */
export type ExpectedVersion = { readonly _tag: "Any" } | { readonly _tag: "NoStream" } | Exactly
interface Exactly {
  readonly _tag: "Exactly"
  readonly version: Version
}

export const Any: ExpectedVersion = { _tag: "Any" }
export const NoStream: ExpectedVersion = { _tag: "NoStream" }
export const exactly = (version: Version): ExpectedVersion => ({ _tag: "Exactly", version })

/** `NoStream` for a stream without a version. */
export const fromVersion = (version: Version | null): ExpectedVersion =>
  version === null ? NoStream : exactly(version)
