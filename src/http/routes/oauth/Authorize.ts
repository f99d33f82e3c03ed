/** `GET /oauth/authorize` and, once it is decided, `GET /oauth/authorize/{uid}`: where browsers are sent to and fro. */
import { Context, Effect, Option } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { Rate } from "#domain/account/Limits.ts"
import { AuthorizationServer } from "#src/oauth/AuthorizationServer.ts"
import * as AuthorizationParameters from "#src/oauth/AuthorizationParameters.ts"
import * as ErrorPage from "#src/oauth/pages/ErrorPage.ts"
import * as Throttle from "#src/oauth/Throttle.ts"
import * as OAuthAnswer from "./OAuthAnswer.ts"
import * as PageAnswer from "./PageAnswer.ts"

/** Each begins something that is kept until it is decided, and nobody has signed in yet. */
export const AuthorizeLimits = Context.Reference<{ readonly ofAddress: Rate; readonly ofAll: Rate }>(
  "inferlog/src/http/AuthorizeLimits",
  {
    defaultValue: () => ({
      ofAddress: { requests: 60, windowSeconds: 60 },
      ofAll: { requests: 1_200, windowSeconds: 60 }
    })
  }
)

const tooMany = (seconds: number) =>
  PageAnswer.make(
    429,
    ErrorPage.render({
      title: "Too many sign-ins",
      paragraphs: [
        "More sign-ins begin here than can be taken in. Try again in a minute, from your assistant."
      ]
    }),
    { "retry-after": String(seconds) }
  )

const nothing = new Uint8Array()

export const make = Effect.gen(function* () {
  const server = yield* AuthorizationServer
  const throttle = yield* Throttle.make(yield* AuthorizeLimits)

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
      const waitSeconds = throttle(Option.getOrElse(request.remoteAddress, () => ""))
      if (waitSeconds > 0) return Effect.succeed(tooMany(waitSeconds))
      const query = request.url.split("?").slice(1).join("?")
      return visit(request, `/oauth/authorize?${AuthorizationParameters.normalized(query)}`)
    },
    resume: (request: HttpServerRequest, uid: string) =>
      visit(request, `/oauth/authorize/${encodeURIComponent(uid)}`)
  }
})
