/** `POST /keys`: creates a key, whose secret the answer shows this once. */
import { Clock, Option, Result, Schema } from "effect"
import { HttpApiEndpoint, HttpApiSchema, OpenApi } from "effect/http-api"
import { type Grant, Scope } from "#domain/account/Grant.ts"
import * as Money from "#domain/Money.ts"
import { KeyRing } from "#src/features/accounts/KeyRing.ts"
import { isName } from "#src/features/accounts/Name.ts"
import * as KeyView from "#src/features/accounts/views/KeyView.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import * as DateTimeText from "#src/edges/http/requests/DateTimeText.ts"
import * as Parsed from "#src/edges/http/requests/Parsed.ts"
import * as RequestBody from "#src/edges/http/requests/RequestBody.ts"
import * as DateTime from "#src/platform/views/DateTime.ts"
import * as GrantFields from "./GrantFields.ts"

/** The most characters of a name. `isName` refuses control characters, too. */
const longestName = 100

const body = RequestBody.strict(
  Schema.Struct({
    name: Schema.String.annotate({
      description: `1 to ${longestName} characters, none of them a control character.`
    }),
    scopes: Schema.optionalKey(
      KeyView.scopes.check(Schema.isMinLength(1), Schema.isMaxLength(100), Schema.isUnique())
    ),
    modelEndpoints: Schema.optionalKey(
      Schema.NullOr(GrantFields.models).annotate({
        description: "Models as `owner/model`, which may be published later; null: every model."
      })
    ),
    monthlyBudget: Schema.optionalKey(
      Schema.NullOr(Schema.String).annotate({
        description: "USD above 0 with at most 9 decimals; null: as much as the account has."
      })
    ),
    expiresAt: Schema.optionalKey(
      Schema.NullOr(DateTime.DateTime).annotate({ description: "In the future; null: never." })
    ),
    origins: Schema.optionalKey(
      Schema.NullOr(GrantFields.origins).annotate({
        description: `${GrantFields.formOfOrigins}. Only their pages may use the key, and its keys and tokens name no others; null: no page may use it, and its keys and tokens name any.`
      })
    )
  }).annotate({
    identifier: "NewApiKey",
    description: "An absent field has the value of the key that makes the call.",
    examples: [
      { name: "ci" },
      {
        name: "ocr in production",
        scopes: ["requests:write", "requests:read"],
        modelEndpoints: ["vision/ocr"],
        monthlyBudget: "25",
        expiresAt: "2026-07-01T00:00:00Z"
      }
    ]
  })
)

const endpoint = HttpApiEndpoint.post("createKey", "/keys", {
  payload: body.schema,
  success: KeyView.IssuedBody.pipe(HttpApiSchema.status(201)),
  error: [...CommonResponses.usual, ...CommonResponses.ofBodies, CommonResponses.conflict]
})
  .annotate(OpenApi.Summary, "Create a key")
  .annotate(
    OpenApi.Description,
    "Valid at once. Its secret is shown only here. A key cannot grant more than it has itself, nor grant anything with a previous secret (403). A budget limits only what one key spends: a key that may create keys is limited only by the account's balance. At most 100 keys of an account are neither revoked nor expired, and 10,000 are created by its keys over its life (409)."
  )

interface NewKey {
  readonly name: string
  /** The fields that the body has. */
  readonly grant: Partial<Grant>
}

/** @param now Unix time in ms. */
const parse = (
  { name, scopes, ...given }: (typeof body.schema)["Type"],
  now: number
): Parsed.Parsed<NewKey> => {
  const parts = {
    name: parseName(name),
    modelEndpoints: orNull(given.modelEndpoints, parseModels),
    monthlyBudget: orNull(given.monthlyBudget, parseBudget),
    expiresAt: orNull(given.expiresAt, (text) => parseExpiry(text, now)),
    origins: orNull(given.origins, GrantFields.parseOrigins)
  }
  return Result.map(Parsed.all(parts), ({ expiresAt, modelEndpoints, monthlyBudget, name, origins }) => ({
    name,
    grant: {
      ...(scopes !== undefined && { scopes: inOrder(scopes) }),
      ...(modelEndpoints !== undefined && { modelEndpoints }),
      ...(monthlyBudget !== undefined && { monthlyBudget }),
      ...(expiresAt !== undefined && { expiresAt }),
      ...(origins !== undefined && { origins })
    }
  }))
}

/** `null` removes a limit; an absent field leaves it as it is. */
const orNull = <Given, A>(
  given: Given | null | undefined,
  parse: (given: Given) => Parsed.Parsed<A>
): Parsed.Parsed<A | null | undefined> => {
  if (given === undefined) return Result.succeed(undefined)
  return given === null ? Result.succeed(null) : parse(given)
}

/** One order for all keys, so that equal grants compare equal. */
const inOrder = (scopes: ReadonlyArray<Scope>): ReadonlyArray<Scope> =>
  Scope.literals.filter((scope) => scopes.includes(scope))

const parseName = (text: string): Parsed.Parsed<string> =>
  isName(text)
    ? Result.succeed(text)
    : Parsed.invalid(
        Parsed.issue(
          ["name"],
          "name",
          `must have 1 to ${longestName} characters, none of them a control character`
        )
      )

const parseModels = GrantFields.parseModels("modelEndpoints")

const budgetIssue = Parsed.issue(
  ["monthlyBudget"],
  "amount",
  "must be an amount of USD above 0 with at most 9 decimals, as text"
)

const parseBudget = (text: string): Parsed.Parsed<Money.NanoUsd> =>
  Option.match(
    Option.filter(Money.parse(text), (amount) => amount > 0n),
    { onNone: () => Parsed.invalid(budgetIssue), onSome: Result.succeed }
  )

const parseExpiry = (text: string, now: number): Parsed.Parsed<number> => {
  const at = DateTimeText.millisOf(text)
  if (Number.isNaN(at)) return Parsed.invalid(DateTimeText.malformed("expiresAt"))
  return at > now
    ? Result.succeed(at)
    : Parsed.invalid(Parsed.issue(["expiresAt"], "range", "must be in the future"))
}

export const createKey = Route.make(endpoint, KeyRing, function* (keyRing, { request }, caller) {
  const given = yield* RequestBody.read(body, request)
  const key = yield* ErrorAnswer.orInvalid(parse(given, yield* Clock.currentTimeMillis))
  return Answer.json(201, KeyView.opened(yield* keyRing.issue({ caller, ...key })))
})
