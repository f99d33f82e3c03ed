/** The call that a request was, without its key. */
import * as JsonText from "#domain/JsonText.ts"
import type { JsonObject } from "#domain/CanonicalJson.ts"
import { inputFile, keyVariable, longestInput, shellQuoted } from "#console/views/models/code/CodeSamples.ts"
import type { RetrievedRequest } from "./UseRequest.ts"

export type Known = Pick<RetrievedRequest, "input" | "metadata" | "modelEndpoint">

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

/** The same call with its metadata. The key is a variable of the environment, and a large input a file. */
export const curl = (queueUrl: string, request: Known): string => {
  const body = JsonText.write(inputOf(request))
  return [
    `curl -X POST ${shellQuoted(`${queueUrl}/${request.modelEndpoint}`)}`,
    `-H "Authorization: Key $${keyVariable}"`,
    `-H 'Content-Type: application/json'`,
    ...(hasMetadata(request) ? [`-H ${shellQuoted(`X-Request-Metadata: ${metadataHeader(request)}`)}`] : []),
    body.length > longestInput ? `--data-binary @${inputFile}` : `-d ${shellQuoted(body)}`
  ].join(" \\\n  ")
}
