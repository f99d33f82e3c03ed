/** The body of `POST /pricing/estimate`. Its input may have the reserved fields of a submit: they cost nothing. */
import { Result, Schema } from "effect"
import { isObject, type JsonObject } from "#domain/CanonicalJson.ts"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import * as JsonSchemaValidator from "#src/features/catalog/models/JsonSchemaValidator.ts"
import { invalid, issue, type Parsed } from "#src/edges/http/requests/Parsed.ts"
import * as WebhookFields from "../requests/WebhookFields.ts"

/** Bytes: nobody pays for asking, and without a key nobody knows who asks. */
export const maxBytes = 1024 * 1024
export const maxBytesWithoutKey = 64 * 1024

const validator = JsonSchemaValidator.ofProgram({
  type: "object",
  properties: { modelEndpoint: { type: "string" }, input: { type: "object" } },
  required: ["modelEndpoint", "input"]
})

const isModelEndpoint = Schema.is(ModelEndpoint)

export interface Asked {
  readonly endpoint: ModelEndpoint
  readonly input: JsonObject
}

export const parse = (body: JsonObject): Parsed<Asked> => {
  const { input, modelEndpoint } = body
  const issues = [...validator.issues(body)]
  if (typeof modelEndpoint === "string" && !isModelEndpoint(modelEndpoint)) {
    issues.push(issue(["modelEndpoint"], "pattern", "must be of the form owner/name, in lower case"))
  }
  if (issues.length > 0 || !isModelEndpoint(modelEndpoint) || !isObject(input)) return invalid(...issues)
  return Result.succeed({ endpoint: modelEndpoint, input: WebhookFields.withoutWebhook(input) })
}
