/** The entry of the lane's thread: reads one body after the other and answers each with one message. */
import { parentPort } from "node:worker_threads"
import { Result } from "effect"
import * as CanonicalJson from "#domain/CanonicalJson.ts"
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

const read = ({ body, schema, schemaKey }: LaneTask): LaneAnswer => {
  const parsed = JsonBytes.parse(body)
  if (Result.isFailure(parsed)) return { _tag: "Refused", fault: parsed.failure }
  const fields = parsed.success
  if (!CanonicalJson.isObject(fields)) return { _tag: "Refused", fault: "not_an_object" }
  const webhook = WebhookFields.parse(fields)
  const input = WebhookFields.withoutWebhook(fields)
  return {
    _tag: "Read",
    webhook: Result.isSuccess(webhook) ? webhook.success : { issues: webhook.failure },
    issues: schema === null ? [] : validatorOf(schema, schemaKey).issues(input),
    // A copy of its own: a small buffer lies in a pool, which cannot be transferred.
    text: new TextEncoder().encode(CanonicalJson.stringify(input)),
    small: smallOf(input)
  }
}

parentPort?.on("message", (task: LaneTask) => {
  const answer = read(task)
  parentPort?.postMessage(answer, answer._tag === "Read" ? [answer.text.buffer as ArrayBuffer] : [])
})
