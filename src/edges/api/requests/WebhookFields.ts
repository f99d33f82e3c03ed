/** The reserved body fields `webhook` and `webhook_events_filter` (contract, "Submit rules"), hidden from the model. */
import { Result } from "effect"
import { isList, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
import { type Webhook, WebhookEventName } from "#domain/inference-request/Event.ts"
import type { Issue } from "#src/platform/views/EnvelopeView.ts"
import { issue, type Parsed } from "#src/edges/http/requests/Parsed.ts"

const urlField = "webhook"
const filterField = "webhook_events_filter"

const defaultEvents: ReadonlyArray<WebhookEventName> = ["completed"]

const areIn = (body: JsonObject): boolean => Object.hasOwn(body, urlField) || Object.hasOwn(body, filterField)

/** The input: the body without the reserved fields, otherwise as it came. */
export const withoutWebhook = (body: JsonObject): JsonObject =>
  areIn(body) ? JsonText.edit(body, { omit: [urlField, filterField] }) : body

export const parse = (body: JsonObject): Parsed<Webhook | null> => {
  const url = Object.hasOwn(body, urlField) ? body[urlField] : undefined
  const filter = Object.hasOwn(body, filterField) ? body[filterField] : undefined
  const issues = filter === undefined ? [] : filterIssues(filter)
  if (url === undefined) {
    return filter === undefined
      ? Result.succeed(null)
      : Result.fail([issue([filterField], "dependentRequired", "needs webhook beside it"), ...issues])
  }
  if (typeof url !== "string") issues.unshift(issue([urlField], "type", "must be string"))
  if (issues.length > 0 || typeof url !== "string") return Result.fail(issues)
  return Result.succeed({
    url,
    events: Array.isArray(filter) ? filter.filter(isEventName) : defaultEvents,
    filtered: filter !== undefined
  })
}

const filterIssues = (filter: Json): Array<Issue> => {
  if (!isList(filter)) return [issue([filterField], "type", "must be array")]
  if (filter.length === 0) return [issue([filterField], "minItems", "must not be empty")]
  // Each wrong item would be an issue, and a body has room for millions.
  if (filter.length > mostNames) {
    return [issue([filterField], "maxItems", `must not have more than ${mostNames} items`)]
  }
  const issues = filter.flatMap((name, index) =>
    isEventName(name) ? [] : [issue([filterField, index], "enum", `must be one of ${names.join(", ")}`)]
  )
  if (new Set(filter).size < filter.length) {
    issues.push(issue([filterField], "uniqueItems", "must not name an event twice"))
  }
  return issues
}

/** More than there are events, so that a duplicate is reported as a duplicate. */
const mostNames = 16

const names = WebhookEventName.literals

const isEventName = (value: Json): value is WebhookEventName => names.some((name) => name === value)
