/** Turns breaches of a parameter schema into issues of a 400, without the schema's messages, which repeat the value. */
import { type Schema, SchemaIssue } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import * as ErrorAnswer from "../ErrorAnswer.ts"
import { issue } from "../requests/Parsed.ts"
import * as CommonResponses from "./CommonResponses.ts"

const missingKey = "MissingKey"

const format = SchemaIssue.makeFormatterStandardSchemaV1({ leafHook: ({ _tag }) => _tag })

const nameOf = (segment: PropertyKey | { readonly key: PropertyKey }): string =>
  String(typeof segment === "object" ? segment.key : segment)

/** Declares the status for every endpoint. */
export class SchemaErrors extends HttpApiMiddleware.Service<SchemaErrors>()(
  "inferlog/src/edges/http/api/SchemaErrors",
  { error: CommonResponses.badRequest }
) {}

export const toErrorAnswer = (error: Schema.SchemaError): ErrorAnswer.ErrorAnswer =>
  ErrorAnswer.invalid(
    format(error.issue).issues.map(({ message, path = [] }) => {
      const at = path.map(nameOf)
      return message === missingKey
        ? issue(at, "required", "must be given")
        : // All parameters are texts, so it was repeated.
          issue(at, "repeated", "must be given once")
    })
  )
