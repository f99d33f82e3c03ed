/** The URLs at which a client follows its request. */
import { Schema } from "effect"
import type { RequestId } from "#domain/Ids.ts"
import type { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import type { Snapshot } from "../Requests.ts"

export const requestUrlFields = {
  response_url: Schema.String.annotate({
    description: "The result, once `COMPLETED`.",
    format: "uri"
  }),
  status_url: Schema.String.annotate({ format: "uri" }),
  cancel_url: Schema.String.annotate({ description: "Cancelled with GET.", format: "uri" })
}

export interface RequestUrls {
  readonly response_url: string
  readonly status_url: string
  readonly cancel_url: string
}

export const make = (queueUrl: string, { id, request }: Snapshot): RequestUrls =>
  of(queueUrl, request.submitted.model, id)

export const of = (queueUrl: string, model: ModelEndpoint, id: RequestId): RequestUrls => {
  const response_url = `${queueUrl}/${model}/requests/${id}`
  return { response_url, status_url: `${response_url}/status`, cancel_url: `${response_url}/cancel` }
}

const exampleUrl = "https://queue.example.com/sandbox/echo/requests/rq0qXk2Ab-0Zp1aB3dE5f"

export const example: RequestUrls = {
  response_url: exampleUrl,
  status_url: `${exampleUrl}/status`,
  cancel_url: `${exampleUrl}/cancel`
}

export const exampleId = "rq0qXk2Ab-0Zp1aB3dE5f"
