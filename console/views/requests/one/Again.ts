/** The input of a request, run once more. */
import type { JsonObject } from "#domain/CanonicalJson.ts"
import { send } from "#console/api/Client.ts"
import { partsOf, type RetrievedRequest } from "./UseRequest.ts"

type Known = Pick<RetrievedRequest, "input" | "metadata" | "modelEndpoint">

/** How an argument is written for a POSIX shell. */
const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** Inputs are objects; erased ones are `null`, and are never run again. */
export const inputOf = ({ input }: Known): JsonObject =>
  typeof input === "object" && input !== null && !Array.isArray(input) ? (input as JsonObject) : {}

const hasMetadata = ({ metadata }: Known): boolean => Object.keys(metadata).length > 0

/** A header holds ASCII: other characters are written as JSON escapes. */
const metadataHeader = ({ metadata }: Known): string =>
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

/** Submits it, and answers the id of the new request. */
export const submit = async (request: Known): Promise<string> => {
  const { modelName, ownerName } = partsOf(request.modelEndpoint)
  const response = await send(`/api/${ownerName}/${modelName}`, {
    method: "POST",
    body: inputOf(request),
    headers: {
      "idempotency-key": crypto.randomUUID(),
      ...(hasMetadata(request) && { "x-request-metadata": metadataHeader(request) })
    }
  })
  const { request_id: id } = (await response.json()) as { readonly request_id: string }
  return id
}
