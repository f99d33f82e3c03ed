/** `GET /oauth/authorize` and, once it is decided, `GET /oauth/authorize/{uid}`: where browsers are sent to and fro. */
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { AuthorizationServer } from "#src/oauth/AuthorizationServer.ts"
import * as AuthorizationParameters from "#src/oauth/AuthorizationParameters.ts"
import * as OAuthAnswer from "./OAuthAnswer.ts"

const nothing = new Uint8Array()

export const make = Effect.gen(function* () {
  const server = yield* AuthorizationServer

  const visit = ({ headers }: HttpServerRequest, target: string) => {
    const { cookie } = headers
    const call = {
      method: "GET",
      target,
      headers: { accept: "text/html", ...(cookie === undefined ? {} : { cookie }) },
      body: nothing
    }
    return Effect.map(server.answer(call), OAuthAnswer.toResponse)
  }

  return {
    begin: (request: HttpServerRequest) => {
      const query = request.url.split("?").slice(1).join("?")
      return visit(request, `/oauth/authorize?${AuthorizationParameters.normalized(query)}`)
    },
    resume: (request: HttpServerRequest, uid: string) =>
      visit(request, `/oauth/authorize/${encodeURIComponent(uid)}`)
  }
})
