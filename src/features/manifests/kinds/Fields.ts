/** Fields that several kinds of manifests share. Messages say what is expected, never what was found. */
import { Option, Result, Schema } from "effect"
import { Category, JsonSchema } from "#domain/catalog/Model.ts"
import { isModelName, isOwnerName, ModelEndpoint } from "#domain/ModelEndpoint.ts"
import * as Money from "#domain/Money.ts"

const describing = (minimum: number, maximum: number) =>
  Schema.String.check(
    Schema.makeFilter((text) => text.trim().length >= minimum && text.length <= maximum, {
      expected: minimum === 0 ? `at most ${maximum} characters` : `${minimum} to ${maximum} characters`
    })
  )

const anOwner = /^[a-z0-9][a-z0-9._-]{0,63}$/

const endpointFault = (text: string): string | undefined => {
  const [owner = "", name, ...rest] = text.split("/")
  if (rest.length > 0 || name === undefined || !anOwner.test(owner) || !isModelName(name))
    return "Expected owner/name, both of lower-case letters, digits, dots, dashes and underscores, such as acme/flux"
  return isOwnerName(owner) ? undefined : "Expected another owner: routes of the server have this one"
}

export const Endpoint = Schema.String.check(Schema.makeFilter(endpointFault)).pipe(
  Schema.decodeTo(ModelEndpoint)
)

export const integer = (minimum: number, maximum: number) =>
  Schema.Int.check(
    Schema.makeFilter((value) => value >= minimum && value <= maximum, {
      expected: `a whole number from ${minimum} to ${maximum}`
    })
  )

export const seconds = (minimum: number, maximum: number) =>
  Schema.Finite.check(
    Schema.makeFilter((value) => value >= minimum && value <= maximum, {
      expected: `a number of seconds from ${minimum} to ${maximum}`
    })
  )

const mostUsd = 1_000_000

const isAmount = (text: string): boolean =>
  Option.exists(Money.parse(text), (amount) => amount >= 0n && amount <= BigInt(mostUsd) * 1_000_000_000n)

const amountFault = (value: unknown): string | undefined => {
  if (typeof value === "number")
    return 'Expected the amount in quotes, such as "0.0125": a bare number is not exact'
  return typeof value === "string" && isAmount(value)
    ? undefined
    : `Expected an amount in USD from 0 to ${mostUsd} with at most nine places, in quotes, such as "0.0125"`
}

const Amount = Schema.Json.check(Schema.makeFilter(amountFault))

/** For a text that `Amount` accepts. */
export const nanoUsd = (amount: typeof Amount.Type): Money.NanoUsd =>
  Option.getOrElse(typeof amount === "string" ? Money.parse(amount) : Option.none(), () => Money.zero)

/** USD as decimal text. */
export const Usd = Amount

const slugs = /^[a-z0-9][a-z0-9-]{0,63}$/

export const Slug = Schema.String.check(
  Schema.isPattern(slugs, { expected: "1 to 64 lower-case letters, digits and dashes, such as rtx-4090" })
)

const Tags = Schema.Array(describing(1, 64)).check(
  Schema.makeFilter((tags) => tags.length <= 32, { expected: "at most 32 tags" })
)

const Recommended = integer(1, 1_000_000)

/** Fields of every kind. */
export const words = {
  displayName: describing(1, 100),
  description: Schema.optionalKey(describing(0, 4_000))
}

/** Fields of everything that can be run. */
export const listed = {
  ...words,
  name: Endpoint,
  category: Category,
  tags: Schema.optionalKey(Tags),
  recommended: Schema.optionalKey(Recommended),
  inputSchema: JsonSchema,
  exampleInput: Schema.Json,
  /** Published and marked: it still runs, but should not be used any more. */
  deprecated: Schema.optionalKey(Schema.Boolean)
}

/** `http` or `https` without credentials, because these would stay in the log. */
export const Url = Schema.String.check(
  Schema.makeFilter((text) => {
    const url = Result.getOrNull(Result.try(() => new URL(text)))
    if (url === null || !["http:", "https:"].includes(url.protocol) || text.length > 2_048)
      return "Expected an http or https URL, such as http://10.0.0.5:9000"
    if (url.username !== "" || url.password !== "")
      return "Expected a URL without credentials: name the variable that holds them as secretEnv"
    return undefined
  })
)
