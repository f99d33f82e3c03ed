/** What clients call themselves: `POST /oauth/register`, `/oauth/token` and `/oauth/revoke`. */
import { Effect, Result } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as JsonBytes from "#src/JsonBytes.ts"
import { AuthorizationServer } from "#src/oauth/AuthorizationServer.ts"
import * as Paths from "#src/oauth/Paths.ts"
import { Registrations } from "#src/oauth/Registrations.ts"
import * as TokenParameters from "#src/oauth/TokenParameters.ts"
import { PublicUrls } from "#src/PublicUrls.ts"
import * as Answer from "../../Answer.ts"
import * as BodyReader from "../../edge/BodyReader.ts"
import * as ClientAddress from "../../edge/ClientAddress.ts"
import * as OAuthAnswer from "./OAuthAnswer.ts"

/** Bytes. */
export const maxBytes = 48 * 1024

const notJson = OAuthAnswer.refused(400, {
  error: "invalid_client_metadata",
  description: "The request body must be a JSON object in UTF-8."
})

const isJson = (contentType: string | undefined): boolean =>
  /^application\/json *(;|$)/i.test(contentType ?? "")

const isForm = (contentType: string | undefined): boolean =>
  /^application\/x-www-form-urlencoded *(;|$)/i.test(contentType ?? "")

const tooMany = (seconds: number) =>
  OAuthAnswer.refused(
    429,
    { error: "temporarily_unavailable", description: "Too many clients are registering: try again later." },
    { "retry-after": String(seconds) }
  )

export const make = Effect.gen(function* () {
  const server = yield* AuthorizationServer
  const registrations = yield* Registrations
  const clientOf = yield* ClientAddress.make
  const { mcpUrl } = yield* PublicUrls

  const withBody = (
    request: HttpServerRequest,
    use: (body: Uint8Array) => Effect.Effect<Answer.Answer | HttpServerResponse>
  ): Effect.Effect<Answer.Answer | HttpServerResponse> =>
    Effect.matchEffect(BodyReader.read(request, maxBytes), {
      onFailure: (refusal) => Effect.succeed(OAuthAnswer.unread(refusal)),
      onSuccess: use
    })

  const call = ({ headers }: HttpServerRequest, target: string, body: Uint8Array) => {
    const own = { authorization: headers["authorization"], "content-type": headers["content-type"] }
    return Effect.map(server.answer({ method: "POST", target, headers: own, body }), OAuthAnswer.toResponse)
  }

  /** What is no form is the provider's to refuse. */
  const tokenBody = ({ headers }: HttpServerRequest, body: Uint8Array): Uint8Array =>
    isForm(headers["content-type"])
      ? new TextEncoder().encode(TokenParameters.normalized(new TextDecoder().decode(body), mcpUrl))
      : body

  const store = Effect.fnUntraced(
    function* (body: unknown, clientAddress: string) {
      const registered = yield* registrations.register({ body, clientAddress })
      return Answer.json(201, registered)
    },
    Effect.catchTags({
      MetadataRefused: ({ description, error }) =>
        Effect.succeed(OAuthAnswer.refused(400, { error, description })),
      TooManyRegistrations: ({ retryAfterSeconds }) => Effect.succeed(tooMany(retryAfterSeconds)),
      SqlError: (error) =>
        Effect.as(Effect.logError("A registration could not be stored", error), OAuthAnswer.unavailable)
    })
  )

  const register = (request: HttpServerRequest) =>
    withBody(request, (bytes) => {
      const json = JsonBytes.parse(bytes)
      if (!isJson(request.headers["content-type"]) || Result.isFailure(json)) return Effect.succeed(notJson)
      return store(json.success, clientOf(request))
    })

  return {
    register,
    token: (request: HttpServerRequest) =>
      withBody(request, (body) => call(request, Paths.token, tokenBody(request, body))),
    revoke: (request: HttpServerRequest) => withBody(request, (body) => call(request, Paths.revoke, body))
  }
})
