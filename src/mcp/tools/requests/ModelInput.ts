/** The input of a run: as strictly looked at as a body over HTTP (decisions, "Bodies"), which it is not. */
import * as CanonicalJson from "#domain/CanonicalJson.ts"
import type { Json, JsonObject } from "#domain/CanonicalJson.ts"
import * as JsonBody from "#src/http/requests/JsonBody.ts"
import * as WebhookFields from "#src/http/requests/WebhookFields.ts"
import * as JsonBytes from "#src/JsonBytes.ts"
import type { InvalidInput } from "#src/requests/Requests.ts"
import type { ToolRefusal } from "../../ToolRefusal.ts"
import { refusal } from "../ServiceRefusals.ts"

const uploadFirst =
  "Files are given as URLs: upload the data with upload_file, and put the fileUrl that it returns in its place."

const tooLarge = refusal(`input: must not exceed ${JsonBody.maxBytes} bytes as JSON. ${uploadFirst}`)
const tooDeep = refusal(`input: must not be nested more than ${JsonBytes.maxDepth} levels deep.`)
const notFinite = refusal("input: has a number that is out of range.")
const withWebhook = refusal(
  "input: `webhook` and `webhook_events_filter` are not taken here. Leave them out, and call wait_for_request after run_model."
)

/** Nothing is looked at below the deepest level. */
const faultOf = (json: Json, levels: number): ToolRefusal | null => {
  if (typeof json === "number") return Number.isFinite(json) ? null : notFinite
  if (typeof json !== "object" || json === null) return null
  if (levels === 0) return tooDeep
  for (const member of Object.values(json)) {
    const fault = faultOf(member, levels - 1)
    if (fault !== null) return fault
  }
  return null
}

/** Why it may not be submitted; `null` when it may, whatever the model's schema says of it. */
export const refused = (input: JsonObject): ToolRefusal | null => {
  if (WebhookFields.withoutWebhook(input) !== input) return withWebhook
  const fault = faultOf(input, JsonBytes.maxDepth)
  if (fault !== null) return fault
  return Buffer.byteLength(CanonicalJson.stringify(input)) > JsonBody.maxBytes ? tooLarge : null
}

const at = (input: Json, path: ReadonlyArray<string | number>): Json | undefined =>
  path.reduce<Json | undefined>(
    (json, part) =>
      typeof json === "object" && json !== null && Object.hasOwn(json, part)
        ? Reflect.get(json, part)
        : undefined,
    input
  )

/** A text that is hardly meant to be read: a file as a `data:` URI, or its bytes as base64. */
const isFile = (json: Json | undefined): boolean =>
  typeof json === "string" && (/^data:/i.test(json) || /^[A-Za-z0-9+/_-]{256}/.test(json))

/** What may help with an input that the model does not take; `null` when there is nothing to say. */
export const hintFor = (input: JsonObject, { issues }: InvalidInput): string | null =>
  issues.some(({ path }) => isFile(at(input, path))) ? uploadFirst : null
