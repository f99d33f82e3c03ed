/** Recognizes plain requests of the hot routes: without a query, an escaped path, a wait or a stream. */
import type { IncomingMessage } from "node:http"
import type * as Retrieve from "#src/edges/api/requests/Retrieve.ts"
import type * as Result from "#src/edges/api/requests/Result.ts"
import type * as Status from "#src/edges/api/requests/Status.ts"
import * as SubmitStream from "#src/edges/api/requests/SubmitStream.ts"
import type * as SubmitEndpoint from "#src/edges/api/requests/SubmitEndpoint.ts"
import { type EndpointParams, isEndpoint } from "#src/edges/http/requests/EndpointParams.ts"

/** `route` is the name of the declared endpoint. */
export type HotCall =
  | { readonly route: (typeof SubmitEndpoint.endpoint)["identifier"]; readonly params: EndpointParams }
  | {
      readonly route: (typeof Status.endpoint | typeof Result.endpoint)["identifier"]
      readonly params: EndpointParams & { readonly requestId: string }
    }
  | {
      readonly route: (typeof Retrieve.endpoint)["identifier"]
      readonly params: { readonly requestId: string }
    }

const name = "[a-z0-9][a-z0-9._-]{0,63}"
const submitPath = new RegExp(`^/(${name})/(${name})$`)
/** Only ids of the right length: a shorter name is another route, or malformed. */
const idPath = /^\/requests\/([A-Za-z0-9_-]{21})$/
const requestPath = new RegExp(`^/(${name})/(${name})/requests/([A-Za-z0-9_-]{1,64})(/status)?$`)

export const recognize = ({ headers, httpVersion, method, url = "" }: IncomingMessage): HotCall | null => {
  if (httpVersion !== "1.1") return null
  if (method === "GET") return hasBody(headers) ? null : recognizeRead(url)
  if (method !== "POST" || headers["prefer"] !== undefined) return null
  return SubmitStream.isWanted({ accept: headers.accept }) ? null : recognizeSubmit(url)
}

const hasBody = (headers: IncomingMessage["headers"]): boolean =>
  headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined

const recognizeSubmit = (url: string): HotCall | null => {
  const [, ownerName, modelName] = submitPath.exec(url) ?? []
  if (ownerName === undefined || modelName === undefined) return null
  const params = { ownerName, modelName }
  return isEndpoint(params) ? { route: "submitRequest", params } : null
}

const recognizeRead = (url: string): HotCall | null => {
  const [, id] = idPath.exec(url) ?? []
  if (id !== undefined) return { route: "getRequest", params: { requestId: id } }
  const [, ownerName, modelName, requestId, status] = requestPath.exec(url) ?? []
  if (ownerName === undefined || modelName === undefined || requestId === undefined) return null
  const params = { ownerName, modelName, requestId }
  if (!isEndpoint(params)) return null
  return { route: status === undefined ? "getRequestResult" : "getRequestStatus", params }
}
