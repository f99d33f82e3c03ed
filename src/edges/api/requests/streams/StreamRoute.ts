/** What the routes of both streams have in common. */
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import * as RequestUrls from "#src/features/requests/views/RequestUrls.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"

export const exampleBody = {
  status: "IN_PROGRESS",
  request_id: RequestUrls.exampleId,
  ...RequestUrls.example,
  logs: "",
  queue_position: 0
}

export const success = (description: string, example: string) =>
  Schema.String.annotate({ description, examples: [example] }).pipe(
    HttpApiSchema.asText({ contentType: "text/event-stream" })
  )

export const errors = [
  ...CommonResponses.usualOfOne,
  CommonResponses.forbidden,
  CommonResponses.methodNotAllowed,
  CommonResponses.tooManyRequests
] as const
