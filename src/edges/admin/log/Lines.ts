/** What the routes that answer with lines of JSON share. */
import { Effect, Predicate, Schema, Stream } from "effect"
import { HttpApiSchema } from "effect/http-api"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import { issue } from "#src/edges/http/requests/Parsed.ts"

const contentType = "application/x-ndjson"

export const lines = (description: string) =>
  Schema.String.pipe(HttpApiSchema.asText({ contentType })).annotate({ description })

export const invalid = (name: string, message: string) =>
  Effect.fail(ErrorAnswer.invalid([issue([name], "invalid", message)]))

/** The values of a parameter that may be repeated. */
export const textsOf = (given: unknown): ReadonlyArray<string> =>
  (Array.isArray(given) ? given : [given]).filter(Predicate.isString)

export const streamed = <E>(texts: Stream.Stream<string, E>) =>
  HttpServerResponse.stream(Stream.encodeText(texts), {
    contentType,
    headers: { "cache-control": "no-store" }
  })
