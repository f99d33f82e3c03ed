/** The roles that the claims of an issuer give. */
import { Option, Predicate, Result, Schema } from "effect"
import { Role } from "#domain/operator/Role.ts"

export interface Rule {
  readonly role: Role
  /** A value of the claim; `null` for everyone whom the issuer signs in. */
  readonly value: string | null
}

const isRole = Schema.is(Role)

const mostRules = 100

const parseRule = (text: string): Result.Result<Rule, string> => {
  const at = text.indexOf("=")
  const role = text.slice(0, Math.max(at, 0)).trim()
  const value = text.slice(at + 1).trim()
  if (!isRole(role)) return Result.fail("must begin with viewer=, operator=, auditor= or owner=")
  if (value === "") return Result.fail("names no value of the claim")
  if (value !== "*") return Result.succeed({ role, value })
  return role === "viewer"
    ? Result.succeed({ role, value: null })
    : Result.fail("gives everyone more than the role viewer")
}

/** Fails with the fault of the first wrong entry, without repeating its text. */
export const parse = (text: string): Result.Result<ReadonlyArray<Rule>, string> =>
  Result.gen(function* () {
    const entries = text.split(",")
    if (entries.length > mostRules) return yield* Result.fail(`more than ${mostRules} entries`)
    const rules: Array<Rule> = []
    for (const [index, entry] of entries.entries()) {
      rules.push(yield* Result.mapError(parseRule(entry), (fault) => `entry ${index + 1} ${fault}`))
    }
    return rules
  })

/**
 * The claim of that name, or else the one to which the parts between dots lead: names such as `https://example.com/roles`
 * have dots as well.
 */
export const claimAt = (claims: object, name: string): unknown => {
  if (Object.hasOwn(claims, name)) return Reflect.get(claims, name)
  return name
    .split(".")
    .reduce<unknown>(
      (value, part) =>
        Predicate.isObject(value) && Object.hasOwn(value, part) ? Reflect.get(value, part) : undefined,
      claims
    )
}

/** The role of the first rule that the claim meets: a text, or a list of texts. */
export const roleOf = (rules: ReadonlyArray<Rule>, claim: unknown): Option.Option<Role> => {
  const values = new Set<unknown>(Array.isArray(claim) ? claim : [claim])
  const rule = rules.find(({ value }) => value === null || values.has(value))
  return Option.map(Option.fromNullishOr(rule), ({ role }) => role)
}
