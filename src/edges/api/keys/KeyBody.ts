/** The bodies of `POST /keys` and `POST /keys/{id}/rotate` (decisions, "Platform routes"). */
import { Option, Result, Schema } from "effect"
import { type Grant, Scope } from "#domain/account/Grant.ts"
import { longestGraceMs } from "#domain/account/Key.ts"
import type { Json, JsonObject } from "#domain/CanonicalJson.ts"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import * as Money from "#domain/Money.ts"
import { isName } from "#src/features/accounts/Name.ts"
import * as JsonSchemaValidator from "#src/features/catalog/models/JsonSchemaValidator.ts"
import * as DateTimeText from "#src/edges/http/requests/DateTimeText.ts"
import { invalid, issue, issues, type Parsed } from "#src/edges/http/requests/Parsed.ts"

export interface NewKey {
  readonly name: string
  /** What is said of it. */
  readonly grant: Partial<Grant>
}

/** Models that a key names at most: whoever wants more gives it all. */
export const mostModels = 20

/** A field that is not known may be one misspelled, without which the key could do much more. */
const newKey = JsonSchemaValidator.ofProgram({
  type: "object",
  properties: {
    name: { type: "string" },
    scopes: {
      type: "array",
      items: { type: "string", enum: [...Scope.literals] },
      minItems: 1,
      maxItems: 100,
      uniqueItems: true
    },
    modelEndpoints: {
      type: ["array", "null"],
      items: { type: "string" },
      minItems: 1,
      maxItems: mostModels,
      uniqueItems: true
    },
    monthlyBudget: { type: ["string", "null"] },
    expiresAt: { type: ["string", "null"], format: "date-time" }
  },
  required: ["name"],
  additionalProperties: false
})

const decode = Schema.decodeUnknownSync(
  Schema.Struct({
    name: Schema.String,
    scopes: Schema.optionalKey(Schema.Array(Scope)),
    modelEndpoints: Schema.optionalKey(Schema.NullOr(Schema.Array(Schema.String))),
    monthlyBudget: Schema.optionalKey(Schema.NullOr(Schema.String)),
    expiresAt: Schema.optionalKey(Schema.NullOr(Schema.String))
  })
)

/** @param now Unix time in ms. */
export const parse = (body: JsonObject, now: number): Parsed<NewKey> => {
  const breaches = newKey.issues(body)
  if (breaches.length > 0) return Result.fail(breaches)
  const { name, ...given } = decode(body)
  const parts = {
    name: parseName(name),
    modelEndpoints: orNull(given.modelEndpoints, parseModels),
    monthlyBudget: orNull(given.monthlyBudget, parseBudget),
    expiresAt: orNull(given.expiresAt, (text) => parseExpiry(text, now))
  }
  return Result.all(parts).pipe(
    Result.map(({ expiresAt, modelEndpoints, monthlyBudget, name }) => ({
      name,
      grant: {
        ...(given.scopes !== undefined && { scopes: inOrder(given.scopes) }),
        ...(modelEndpoints !== undefined && { modelEndpoints }),
        ...(monthlyBudget !== undefined && { monthlyBudget }),
        ...(expiresAt !== undefined && { expiresAt })
      }
    })),
    Result.mapError(() => issues(parts))
  )
}

/** `null` says that there is no such limit, what is not there says nothing. */
const orNull = <Given, A>(
  given: Given | null | undefined,
  parse: (given: Given) => Parsed<A>
): Parsed<A | null | undefined> => {
  if (given === undefined) return Result.succeed(undefined)
  return given === null ? Result.succeed(null) : parse(given)
}

/** However they were written, two keys that may the same are told the same. */
const inOrder = (scopes: ReadonlyArray<Scope>): ReadonlyArray<Scope> =>
  Scope.literals.filter((scope) => scopes.includes(scope))

const parseName = (text: string): Parsed<string> =>
  isName(text)
    ? Result.succeed(text)
    : invalid(issue(["name"], "name", "must have 1 to 100 characters, none of them a control character"))

const isModelEndpoint = Schema.is(ModelEndpoint)

/** Of the form alone: a model may come later. */
const parseModels = (texts: ReadonlyArray<string>): Parsed<ReadonlyArray<ModelEndpoint>> => {
  const malformed = texts.flatMap((text, index) =>
    isModelEndpoint(text) ? [] : [issue(["modelEndpoints", index], "pattern", "must be owner/model")]
  )
  return malformed.length > 0 ? invalid(...malformed) : Result.succeed(texts.filter(isModelEndpoint))
}

const parseBudget = (text: string): Parsed<Money.NanoUsd> =>
  Option.match(
    Option.filter(Money.parse(text), (amount) => amount > 0n),
    {
      onNone: () =>
        invalid(
          issue(
            ["monthlyBudget"],
            "amount",
            "must be an amount of USD above 0 with at most 9 decimals, as text"
          )
        ),
      onSome: Result.succeed
    }
  )

const parseExpiry = (text: string, now: number): Parsed<number> => {
  const at = DateTimeText.millisOf(text)
  if (Number.isNaN(at)) return invalid(DateTimeText.malformed("expiresAt"))
  return at > now ? Result.succeed(at) : invalid(issue(["expiresAt"], "range", "must be in the future"))
}

const rotation = JsonSchemaValidator.ofProgram({
  type: "object",
  properties: {
    gracePeriodSeconds: { type: "integer", minimum: 0, maximum: longestGraceMs / 1_000 }
  },
  additionalProperties: false
})

/** Of a rotation that does not say: a day, as of signing secrets. */
export const usualGraceSeconds = 24 * 60 * 60

/** How long the secret until now stays good, ms. */
export const parseGrace = (body: JsonObject): Parsed<number> => {
  const breaches = rotation.issues(body)
  return breaches.length > 0 ? Result.fail(breaches) : Result.succeed(graceOf(body["gracePeriodSeconds"]))
}

const graceOf = (seconds: Json | undefined): number =>
  (typeof seconds === "number" ? seconds : usualGraceSeconds) * 1_000
