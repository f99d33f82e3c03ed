/** The input of a request, run once more. */
import { send } from "#console/api/Client.ts"
import * as Call from "./Call.ts"
import { partsOf } from "./UseRequest.ts"

/** Submits it, and answers the id of the new request. */
export const submit = async (request: Call.Known): Promise<string> => {
  const { modelName, ownerName } = partsOf(request.modelEndpoint)
  const response = await send(`/api/${ownerName}/${modelName}`, {
    method: "POST",
    body: Call.inputOf(request),
    headers: {
      "idempotency-key": crypto.randomUUID(),
      ...(Call.hasMetadata(request) && { "x-request-metadata": Call.metadataHeader(request) })
    }
  })
  const { request_id: id } = (await response.json()) as { readonly request_id: string }
  return id
}
