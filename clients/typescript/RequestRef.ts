import { modelPath, segment } from "./Addresses.ts"
import type { Http } from "./Http.ts"
import type { CallScope } from "./Scope.ts"
import type { RetrievedRequest } from "./Wire.ts"

/** A request: its id, or an answer that names it. With the id alone its model is looked up once. */
export type RequestRef =
  | string
  | { readonly request_id: string; readonly status_url: string }
  | { readonly id: string; readonly modelEndpoint: string }

export interface Located {
  readonly id: string
  /** `owner/name` */
  readonly model: string
  /** Of the request at its model, on the queue host. */
  readonly path: string
}

const modelOf = (statusUrl: string): string => {
  const parts = /\/([^/]+)\/([^/]+)\/requests\/[^/]+\/status$/.exec(new URL(statusUrl).pathname)
  if (parts === null) throw new TypeError("status_url is not the address of a request's status")
  return parts.slice(1).map(decodeURIComponent).join("/")
}

/** Reads the request in any state. */
export const retrieve = (http: Http, id: string, scope: CallScope): Promise<RetrievedRequest> =>
  http.json({ host: "queue", path: `/requests/${segment(id)}` }, scope)

/** Where the request is. The scope knows its id from then on. */
export const locate = async (http: Http, ref: RequestRef, scope: CallScope): Promise<Located> => {
  const id = typeof ref === "string" ? ref : "request_id" in ref ? ref.request_id : ref.id
  scope.requestId = id
  const { modelEndpoint } =
    typeof ref === "string"
      ? await retrieve(http, ref, scope)
      : "request_id" in ref
        ? { modelEndpoint: modelOf(ref.status_url) }
        : ref
  return { id, model: modelEndpoint, path: `${modelPath(modelEndpoint)}/requests/${segment(id)}` }
}
