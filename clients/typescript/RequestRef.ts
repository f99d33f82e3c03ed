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

const locatedAt = (model: string, id: string): Located => ({
  id,
  model,
  path: `${modelPath(model)}/requests/${segment(id)}`
})

const modelOf = (statusUrl: string): string => {
  const parts = /\/([^/]+)\/([^/]+)\/requests\/[^/]+\/status$/.exec(new URL(statusUrl).pathname)
  if (parts === null) throw new TypeError("status_url is not the address of a request's status")
  return parts.slice(1).map(decodeURIComponent).join("/")
}

/** Reads the request in any state. */
export const retrieve = (http: Http, id: string, scope: CallScope): Promise<RetrievedRequest> =>
  http.json({ host: "queue", path: `/requests/${segment(id)}` }, scope)

/** Where the request is; the scope knows its id from then on. */
export const locate = async (http: Http, ref: RequestRef, scope: CallScope): Promise<Located> => {
  const located =
    typeof ref === "string"
      ? locatedAt((await retrieve(http, ref, scope)).modelEndpoint, ref)
      : "status_url" in ref && "request_id" in ref
        ? locatedAt(modelOf(ref.status_url), ref.request_id)
        : locatedAt(ref.modelEndpoint, ref.id)
  scope.requestId = located.id
  return located
}
