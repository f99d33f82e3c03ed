/** The call that a request was, without its key. */
import type { JsonObject } from "#domain/CanonicalJson.ts"
import type { RetrievedRequest } from "./UseRequest.ts"

export type Known = Pick<RetrievedRequest, "input" | "metadata" | "modelEndpoint">

/** How an argument is written for a POSIX shell. */
const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** Inputs are objects; erased ones are `null`, and are never run again. */
export const inputOf = ({ input }: Known): JsonObject =>
  typeof input === "object" && input !== null && !Array.isArray(input) ? (input as JsonObject) : {}

export const hasMetadata = ({ metadata }: Known): boolean => Object.keys(metadata).length > 0

/** A header holds ASCII: other characters are written as JSON escapes. */
export const metadataHeader = ({ metadata }: Known): string =>
  JSON.stringify(metadata).replaceAll(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  )

/** The same call. The key is a variable of the environment. */
export const curl = (queueUrl: string, request: Known): string =>
  [
    `curl -X POST ${shellQuoted(`${queueUrl}/${request.modelEndpoint}`)}`,
    `-H "Authorization: Key $INFERLOG_API_KEY"`,
    `-H 'Content-Type: application/json'`,
    ...(hasMetadata(request) ? [`-H ${shellQuoted(`X-Request-Metadata: ${metadataHeader(request)}`)}`] : []),
    `-d ${shellQuoted(JSON.stringify(inputOf(request)))}`
  ].join(" \\\n  ")
