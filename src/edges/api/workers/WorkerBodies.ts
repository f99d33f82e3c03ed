/** What workers send (docs/workers.md). A field that is not known may be one misspelled, and is refused. */
import { Option, Result } from "effect"
import type { Json, JsonObject } from "#domain/CanonicalJson.ts"
import type { Quantity } from "#domain/Money.ts"
import * as Money from "#domain/Money.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import * as JsonSchemaValidator from "#src/features/catalog/models/JsonSchemaValidator.ts"
import type { Progress } from "#src/features/providers/workers/LeasesElsewhere.ts"
import { invalid, issue, type Parsed } from "#src/edges/http/requests/Parsed.ts"

/** Bytes of a body that ends a job. */
export const maxResultBytes = 32 * 1024 * 1024

/** s. */
export const usualWait = 30
export const longestWait = 60

/** Log lines of one heartbeat, and characters of a line and of an error. */
export const mostLines = 500
const longestLine = 10_000
export const longestMessage = 10_000

const validator = (properties: JsonObject, rest: JsonObject = {}) =>
  JsonSchemaValidator.ofProgram({ type: "object", properties, additionalProperties: false, ...rest })

const text = { type: "string", maxLength: longestMessage }

const claim = validator({
  models: {
    type: ["array", "null"],
    items: { type: "string" },
    minItems: 1,
    maxItems: 100,
    uniqueItems: true
  },
  wait: { type: "number", minimum: 0, maximum: longestWait }
})

const heartbeat = validator({
  progress: { type: ["number", "null"], minimum: 0, maximum: 1 },
  logs: { type: "array", items: { type: "string", maxLength: longestLine }, maxItems: mostLines }
})

const release = validator({ reason: text })

/** Each way in which a job ends has a field of its own. */
const ends = ["output", "error", "refused", "cancelled"] as const

/** `output` is not looked into here: it is the model's, and may be large. */
const result = validator({
  units: { type: "string", pattern: "^[0-9]{1,12}(\\.[0-9]{1,6})?$" },
  error: text,
  refused: text,
  retryable: { type: "boolean" },
  cancelled: { const: true }
})

const checked = <A>(
  { issues }: JsonSchemaValidator.JsonSchemaValidator,
  body: JsonObject,
  make: () => A
): Parsed<A> => {
  const breaches = issues(body)
  return breaches.length > 0 ? Result.fail(breaches) : Result.succeed(make())
}

const texts = (value: Json | undefined): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : []

export const parseClaim = (body: JsonObject) =>
  checked(claim, body, () => ({
    models: Array.isArray(body["models"]) ? texts(body["models"]) : null,
    waitMs: Number(body["wait"] ?? usualWait) * 1_000
  }))

export const parseHeartbeat = (body: JsonObject): Parsed<Progress> =>
  checked(heartbeat, body, () => ({
    fraction: typeof body["progress"] === "number" ? body["progress"] : null,
    logs: texts(body["logs"])
  }))

export const parseRelease = (body: JsonObject): Parsed<string | null> =>
  checked(release, body, () => (typeof body["reason"] === "string" ? body["reason"] : null))

export const parseResult = (body: JsonObject): Parsed<ProviderOutcome> => {
  const { output, ...rest } = body
  const given = ends.filter((end) => body[end] !== undefined)
  const [end] = given
  if (end === undefined || given.length > 1) {
    return invalid(issue([], "oneOf", `must have exactly one of ${ends.join(", ")}`))
  }
  const owner = { units: "output", retryable: "refused" } as const
  for (const field of ["units", "retryable"] as const) {
    if (body[field] !== undefined && end !== owner[field]) {
      return invalid(issue([field], "dependentRequired", `must come with ${owner[field]}`))
    }
  }
  return checked(result, rest, (): ProviderOutcome => {
    switch (end) {
      case "output":
        return { _tag: "Succeeded", output: output ?? null, delivered: unitsOf(body["units"]) }
      case "error":
        return { _tag: "ModelFailed", message: String(body["error"]) }
      case "refused":
        return {
          _tag: "ProviderError",
          message: String(body["refused"]),
          retryable: body["retryable"] === true
        }
      case "cancelled":
        return { _tag: "Stopped" }
    }
  })
}

/** `null`: the worker does not count them. */
const unitsOf = (value: Json | undefined): Quantity | null =>
  typeof value === "string" ? Option.getOrNull(Money.parseQuantity(value)) : null
