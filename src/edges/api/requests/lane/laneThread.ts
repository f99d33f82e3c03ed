/** The entry of the lane's thread: reads one body after the other and answers each with one message. */
import { parentPort } from "node:worker_threads"
import { Result } from "effect"
import * as CanonicalJson from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
import * as JsonBytes from "#src/kernel/text/JsonBytes.ts"
import * as JsonSchemaValidator from "#src/features/catalog/models/JsonSchemaValidator.ts"
import * as RecentlyUsed from "#streams/RecentlyUsed.ts"
import * as WebhookFields from "../WebhookFields.ts"
import type { LaneAnswer, LaneTask } from "./LaneTask.ts"

const validators = RecentlyUsed.make<JsonSchemaValidator.JsonSchemaValidator>({ capacity: 256 })

const validatorOf = (schema: NonNullable<LaneTask["schema"]>, key: string) => {
  const known = validators.get(key)
  if (known !== undefined) return known
  const validator = JsonSchemaValidator.ofProgram(schema)
  validators.set(key, validator)
  return validator
}

/** Characters of a text that counts as small. */
const shortText = 1_024

const isSmall = (value: CanonicalJson.Json): boolean =>
  typeof value === "string" ? value.length <= shortText : typeof value !== "object" || value === null

/** The most members of a small object. */
const mostMembers = 100

const smallOf = (input: CanonicalJson.JsonObject): CanonicalJson.JsonObject => {
  const small: Array<readonly [string, CanonicalJson.Json]> = []
  for (const name in input) {
    const value = input[name] ?? null
    if (isSmall(value)) small.push([name, value])
    if (small.length === mostMembers) break
  }
  return Object.fromEntries(small)
}

const read = ({ body, hasKey, schema, schemaKey }: LaneTask): LaneAnswer => {
  const scan = JsonBytes.look(body)
  if (Result.isFailure(scan)) return { _tag: "Refused", fault: scan.failure }
  const parsed = JsonBytes.parseLooked(body, scan.success)
  if (Result.isFailure(parsed)) return { _tag: "Refused", fault: parsed.failure }
  const fields = parsed.success
  const repeated = JsonBytes.repeatedName(fields, scan.success)
  if (repeated !== null) return { _tag: "Repeated", path: repeated }
  if (!CanonicalJson.isObject(fields)) return { _tag: "Refused", fault: "not_an_object" }
  const webhook = WebhookFields.parse(fields)
  const input = WebhookFields.withoutWebhook(fields)
  return {
    _tag: "Read",
    webhook: Result.isSuccess(webhook) ? webhook.success : { issues: webhook.failure },
    issues: schema === null ? [] : validatorOf(schema, schemaKey).issues(input),
    // A copy of its own: a small buffer lies in a pool, which cannot be transferred.
    text: new TextEncoder().encode(JsonText.write(input)),
    content: hasKey ? JsonText.content(fields) : null,
    small: smallOf(input)
  }
}

parentPort?.on("message", (task: LaneTask) => {
  const answer = read(task)
  parentPort?.postMessage(answer, answer._tag === "Read" ? [answer.text.buffer as ArrayBuffer] : [])
})
