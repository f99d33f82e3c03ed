/** Parameters that a declared schema refuses: 400 with issues. Values are never echoed, so neither are schema messages. */
import { Effect, SchemaIssue } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import { respond } from "../edge/Respond.ts"
import * as Refusal from "../Refusal.ts"
import { issue } from "../requests/Parsed.ts"
import * as CommonResponses from "./CommonResponses.ts"

const format = SchemaIssue.makeFormatterStandardSchemaV1()

const nameOf = (segment: PropertyKey | { readonly key: PropertyKey }): string =>
  String(typeof segment === "object" ? segment.key : segment)

export class SchemaErrors extends HttpApiMiddleware.Service<SchemaErrors>()(
  "inferlog/src/http/SchemaErrors",
  { error: CommonResponses.badRequest }
) {
  static readonly layer = HttpApiMiddleware.layerSchemaErrorTransform(SchemaErrors, (error) => {
    if (error.kind === "Body" || error.kind === "ResponseHeaders") return Effect.die(error)
    const issues = format(error.cause.issue).issues.map(({ path = [] }) =>
      issue(path.map(nameOf), "invalid", "is not valid")
    )
    return respond(Effect.fail(Refusal.invalid(issues)))
  })
}
