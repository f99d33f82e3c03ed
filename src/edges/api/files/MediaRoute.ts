/** What the routes of file URLs have in common (contract, "Uploads": the canonical file URL). */
import { Schema } from "effect"

export const described = (description: string) => Schema.String.annotate({ description })
export const optional = (description: string) => Schema.optionalKey(described(description))

export const params = {
  mediaId: described("24 characters; the only credential."),
  fileName: described("For the reader; any name leads to the file.")
}

const binary = { schema: { type: "string", format: "binary" } }

/** Bytes of any declared type. */
export const bytes = { "*/*": binary }
