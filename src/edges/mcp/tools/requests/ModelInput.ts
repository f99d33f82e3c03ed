/** Checks the input of a run. Its message has passed the checks of an HTTP body (decisions, "Bodies"). */
import type { Json, JsonObject } from "#domain/CanonicalJson.ts"
import * as WebhookFields from "#src/edges/api/requests/WebhookFields.ts"
import { isDataUri } from "#src/features/media/DataUri.ts"
import type { InvalidInput } from "#src/features/requests/Requests.ts"
import type { ToolError } from "../../ToolError.ts"
import { toolError } from "../ServiceToolErrors.ts"

const uploadFirst =
  "Files must be URLs: upload the data with upload_file, and use the fileUrl that it returns instead."

const withWebhook = toolError(
  "input: `webhook` and `webhook_events_filter` are not taken here. Leave them out, and call wait_for_request after run_model."
)

/** Why the input may not be submitted, whatever the model's schema says; `null` when it may. */
export const refused = (input: JsonObject): ToolError | null =>
  WebhookFields.withoutWebhook(input) === input ? null : withWebhook

const at = (input: Json, path: ReadonlyArray<string | number>): Json | undefined =>
  path.reduce<Json | undefined>(
    (json, part) =>
      typeof json === "object" && json !== null && Object.hasOwn(json, part)
        ? Reflect.get(json, part)
        : undefined,
    input
  )

/** A text that is probably file content: a `data:` URI or base64. */
const isFile = (json: Json | undefined): boolean =>
  typeof json === "string" && (isDataUri(json) || /^[A-Za-z0-9+/_-]{256}/.test(json))

/** Advice for an input that the model does not accept; `null` when there is none. */
export const hintFor = (input: JsonObject, { issues }: InvalidInput): string | null =>
  issues.some(({ path }) => isFile(at(input, path))) ? uploadFirst : null
