/** How far a stream is, and how far a writer believes it to be. Versions are opaque: compare them for equality only. */
import { Schema } from "effect"

export const Version = Schema.String.pipe(Schema.brand("Version"))
export type Version = typeof Version.Type

/** A version that a backend made itself, unchecked. */
export const trustedVersion = (text: string): Version => text as Version

/** `Any` appends whatever is there, `NoStream` wants no event, a version wants exactly that last event. */
export type ExpectedVersion = { readonly _tag: "Any" } | { readonly _tag: "NoStream" } | Exactly
interface Exactly {
  readonly _tag: "Exactly"
  readonly version: Version
}

export const Any: ExpectedVersion = { _tag: "Any" }
export const NoStream: ExpectedVersion = { _tag: "NoStream" }
export const exactly = (version: Version): ExpectedVersion => ({ _tag: "Exactly", version })

/** `NoStream` for a stream that has no version yet. */
export const fromVersion = (version: Version | null): ExpectedVersion =>
  version === null ? NoStream : exactly(version)
