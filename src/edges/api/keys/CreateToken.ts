/** `POST /keys/tokens`: a short-lived token that a page may hold (decisions, "Tokens"). Nothing is stored for it. */
import { Effect, Result, Schema } from "effect"
import { HttpApiEndpoint, HttpApiSchema, OpenApi } from "effect/http-api"
import type { Origin } from "#domain/account/Origin.ts"
import { type RequestId, requestIdPattern } from "#domain/Ids.ts"
import type { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import { Authentication, Unauthorized } from "#src/features/accounts/Authentication.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import * as Token from "#src/features/accounts/tokens/Token.ts"
import { Tokens } from "#src/features/accounts/tokens/Tokens.ts"
import { Requests } from "#src/features/requests/Requests.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { Requires } from "#src/edges/http/api/RouteAnnotations.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import * as Parsed from "#src/edges/http/requests/Parsed.ts"
import * as RequestBody from "#src/edges/http/requests/RequestBody.ts"
import * as DateTime from "#src/platform/views/DateTime.ts"
import * as GrantFields from "./GrantFields.ts"

const longestSeconds = Token.longestMs / 1_000

/** Long enough for most requests. A page asks its server for another token before it ends. */
const usualSeconds = 600

const ExpiresIn = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: longestSeconds }))

/** Characters. */
const longestUser = 200

const User = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(longestUser))

const body = RequestBody.strict(
  Schema.Struct({
    expiresIn: Schema.optionalKey(
      ExpiresIn.annotate({ description: `Seconds; ${usualSeconds} by default.` })
    ),
    models: Schema.optionalKey(
      GrantFields.models.annotate({
        description:
          "It submits to these models, `owner/model`, and follows and cancels what it, or a token of the same `user`, has submitted. With `readOnly`: it reads requests of these models."
      })
    ),
    request: Schema.optionalKey(
      Schema.String.annotate({ description: "It follows and cancels this request of the account." })
    ),
    readOnly: Schema.optionalKey(
      Schema.Boolean.annotate({
        description: "It reads the requests that the key may read. With `request`: it does not cancel."
      })
    ),
    user: Schema.optionalKey(
      User.annotate({
        description: `Your name of the person at the page, 1 to ${longestUser} characters, with \`models\` only. Tokens with the same name open each other's requests. The server stores only a keyed hash of it.`
      })
    ),
    origins: Schema.optionalKey(
      GrantFields.origins.annotate({
        description: `${GrantFields.formOfOrigins}. Only their pages may use it. By default those of the key.`
      })
    )
  }).annotate({
    identifier: "NewToken",
    description:
      "`models`, `request` or `readOnly` must be given. `models` and `request` exclude each other.",
    examples: [
      { expiresIn: 300, models: ["sandbox/echo"], user: "u_4711", origins: ["https://app.example"] },
      { request: "rq0qXk2Ab-0Zp1aB3dE5f", origins: ["https://app.example"] },
      { readOnly: true, origins: ["https://app.example"] }
    ]
  })
)

const exampleToken = `tok_key_0123456789abcdef_aB3dE5gH.eyJpIjoi….hT0YBzdYtWUqsSKUyqwQ2tqTqsCMEbCJzQdWs2Sz1fE`

const MadeBody = Schema.Struct({
  token: Schema.String.annotate({ description: "Sent like a key: `Authorization: Key <token>`." }),
  expiresAt: DateTime.DateTime,
  models: Schema.NullOr(Schema.Array(Schema.String)),
  request: Schema.NullOr(Schema.String),
  readOnly: Schema.Boolean,
  origins: Schema.NullOr(Schema.Array(Schema.String)).annotate({
    description: "null: no page of another origin may use it."
  })
}).annotate({
  identifier: "Token",
  description: "A token, shown only here.",
  examples: [
    {
      token: exampleToken,
      expiresAt: "2026-01-05T12:05:00.000Z",
      models: ["sandbox/echo"],
      request: null,
      readOnly: false,
      origins: ["https://app.example"]
    }
  ]
})

const endpoint = HttpApiEndpoint.post("createToken", "/keys/tokens", {
  payload: body.schema,
  success: MadeBody.pipe(HttpApiSchema.status(201)),
  error: [...CommonResponses.usualOfOne, ...CommonResponses.ofBodies]
})
  .annotate(Requires, "requests:read")
  .annotate(OpenApi.Summary, "Make a token for a page")
  .annotate(
    OpenApi.Description,
    `Lives for at most ${longestSeconds} seconds, and ends with the key or with the secret that made it. It does at most what the key does, never manages keys, reads no billing, and makes no tokens. A token that submits also needs a key with \`requests:write\`. Its calls count for the key: rates, budget and balance.`
  )

interface NewToken {
  readonly lifeMs: number
  readonly models: ReadonlyArray<ModelEndpoint> | null
  readonly request: RequestId | null
  readonly isReadOnly: boolean
  readonly user: string | null
  readonly origins: ReadonlyArray<Origin> | undefined
}

const isRequestId = (text: string): text is RequestId => requestIdPattern.test(text)

const parseRequest = (text: string | undefined): Parsed.Parsed<RequestId | null> => {
  if (text === undefined) return Result.succeed(null)
  return isRequestId(text)
    ? Result.succeed(text)
    : Parsed.invalid(Parsed.issue(["request"], "pattern", "must be the id of a request: 21 characters"))
}

const parseModels = GrantFields.parseModels("models")

const parse = (given: (typeof body.schema)["Type"]): Parsed.Parsed<NewToken> => {
  const { expiresIn = usualSeconds, models, origins, readOnly = false, request, user = null } = given
  if (models === undefined && request === undefined && !readOnly) {
    return Parsed.invalid(
      Parsed.issue([], "required", "must name models or a request, or have readOnly: true")
    )
  }
  if (models !== undefined && request !== undefined) {
    return Parsed.invalid(Parsed.issue(["models"], "excluded", "cannot be given together with request"))
  }
  if (user !== null && (models === undefined || readOnly)) {
    return Parsed.invalid(Parsed.issue(["user"], "excluded", "can be given for tokens that submit only"))
  }
  const parts = {
    models: models === undefined ? Result.succeed(null) : parseModels(models),
    request: parseRequest(request),
    origins: origins === undefined ? Result.succeed(undefined) : GrantFields.parseOrigins(origins)
  }
  return Result.map(Parsed.all(parts), (parsed) => ({
    ...parsed,
    lifeMs: expiresIn * 1_000,
    isReadOnly: readOnly,
    user
  }))
}

/** A key that may not submit makes no token that says it may. */
const checkScope = ({ grant }: Caller, { isReadOnly, models }: NewToken) =>
  models === null || isReadOnly || grant.scopes.includes("requests:write")
    ? Effect.void
    : Effect.fail(ErrorAnswer.missingScope("requests:write"))

export const createToken = Route.make(
  endpoint,
  Effect.all({ tokens: Tokens, requests: Requests, authentication: Authentication }),
  function* ({ authentication, requests, tokens }, { request }, caller) {
    const wanted = yield* ErrorAnswer.orInvalid(parse(yield* RequestBody.read(body, request)))
    yield* checkScope(caller, wanted)
    // Also refuses requests of other accounts, and of models that the key is not granted.
    if (wanted.request !== null) yield* requests.get({ caller, id: wanted.request })
    const presented = yield* authentication.keyOf(request.headers["authorization"])
    if (presented === null) return yield* new Unauthorized()
    const { secretHash } = presented
    const { claims, text } = yield* Effect.catchTag(
      tokens.make({ caller, secretHash, ...wanted }),
      "TokenExceedsKey",
      (error) => Effect.fail(ErrorAnswer.grantExceeded(error.fields))
    )
    return Answer.json(201, {
      token: text,
      expiresAt: DateTime.format(claims.expiresAt),
      models: claims.models,
      request: claims.request,
      readOnly: claims.isReadOnly,
      origins: claims.origins
    } satisfies typeof MadeBody.Type)
  }
)
