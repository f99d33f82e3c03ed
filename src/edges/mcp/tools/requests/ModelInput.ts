/** The input of a run. What a body over HTTP is looked at for (decisions, "Bodies"), the message was that it came in. */
import type { Json, JsonObject } from "#domain/CanonicalJson.ts"
import * as WebhookFields from "#src/edges/api/requests/WebhookFields.ts"
import { isDataUri } from "#src/features/media/DataUri.ts"
import type { InvalidInput } from "#src/features/requests/Requests.ts"
import type { ToolRefusal } from "../../ToolRefusal.ts"
import { refusal } from "../ServiceRefusals.ts"

const uploadFirst =
  "Files are given as URLs: upload the data with upload_file, and put the fileUrl that it returns in its place."

const withWebhook = refusal(
  "input: `webhook` and `webhook_events_filter` are not taken here. Leave them out, and call wait_for_request after run_model."
)

/** Why it may not be submitted; `null` when it may, whatever the model's schema says of it. */
export const refused = (input: JsonObject): ToolRefusal | null =>
  WebhookFields.withoutWebhook(input) === input ? null : withWebhook

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
  typeof json === "string" && (isDataUri(json) || /^[A-Za-z0-9+/_-]{256}/.test(json))

/** What may help with an input that the model does not take; `null` when there is nothing to say. */
export const hintFor = (input: JsonObject, { issues }: InvalidInput): string | null =>
  issues.some(({ path }) => isFile(at(input, path))) ? uploadFirst : null
