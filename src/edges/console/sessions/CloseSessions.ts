/** `DELETE /console/session`, `…/all` and `…/{id}`: ends the own session, all others, or one of them. */
import { Effect, Schema } from "effect"
import { HttpApiEndpoint, HttpApiSchema, OpenApi } from "effect/http-api"
import * as Cookies from "effect/http/Cookies"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Answer from "#src/edges/http/Answer.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import type * as Route from "#src/edges/http/api/Route.ts"
import { UnderWay } from "#src/edges/http/edge/Exchanges.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import type { ConsoleSessions } from "#src/features/accounts/sessions/ConsoleSessions.ts"
import type { Desk, Signed } from "./Desk.ts"
import type { OperatorHolder, OperatorSession } from "./OperatorHolder.ts"
import * as Paths from "./Paths.ts"
import { SessionBody } from "./SessionViews.ts"

const whose = Schema.Literals(["account", "operator"]).annotate({ description: "Whose session." })

const kind = { kind: whose }

const done = HttpApiSchema.NoContent.annotate({ description: "Ended, now or earlier." })

export const ownEndpoint = HttpApiEndpoint.delete("closeConsoleSession", Paths.session, {
  query: { kind: Schema.optionalKey(whose) },
  success: SessionBody,
  error: [...CommonResponses.usual, CommonResponses.forbidden]
})
  .annotate(OpenApi.Summary, "Sign out")
  .annotate(
    OpenApi.Description,
    "Ends the session of the cookie on every node, and removes the cookie. Without `kind`, those of the account and of the operator."
  )

export const othersEndpoint = HttpApiEndpoint.delete("closeOtherConsoleSessions", `${Paths.session}/all`, {
  query: kind,
  success: done,
  error: [...CommonResponses.usualOfOne, CommonResponses.forbidden]
})
  .annotate(OpenApi.Summary, "End all other sessions")
  .annotate(
    OpenApi.Description,
    "Those that `GET /console/session/all` shows. The session of the call goes on."
  )

export const oneEndpoint = HttpApiEndpoint.delete("closeOneConsoleSession", `${Paths.session}/:sessionId`, {
  params: { sessionId: Schema.String.annotate({ description: "Of `GET /console/session/all`." }) },
  query: kind,
  success: done,
  error: [...CommonResponses.usualOfOne, CommonResponses.forbidden]
})
  .annotate(OpenApi.Summary, "End one session")
  .annotate(OpenApi.Description, "Takes effect at once, on every node.")

const unknown = ErrorAnswer.notFound("Session")

/** The sessions that the signed-in one may end, and how they are ended; `null` when nobody is signed in. */
const others = Effect.fnUntraced(function* (desk: Desk, signed: Signed, of: "account" | "operator") {
  if (of === "account") {
    const own = signed.account
    if (desk.account === null || own === null) return null
    const sessions = yield* desk.account.others(own)
    return { named: own.named, sessions, recorded: <A, E>(_: string, end: Effect.Effect<A, E>) => end }
  }
  const own = signed.operator
  const holder = desk.operator
  if (holder === null || own === null || own.named === null) return null
  const { correlationId } = yield* UnderWay
  return {
    named: own.named,
    sessions: yield* holder.others(own),
    recorded: <A, E>(action: string, end: Effect.Effect<A, E>) =>
      holder.recorded(action, own.operator, correlationId, end)
  }
})

/** Ends the operator's session. The issuer's page to sign out, and its cookies, after one of single sign-on. */
const closeOperator = Effect.fnUntraced(function* (
  holder: OperatorHolder,
  sessions: ConsoleSessions["Service"],
  own: OperatorSession,
  request: HttpServerRequest
) {
  const { correlationId } = yield* UnderWay
  let address: string | null = null
  if (own.named !== null) {
    const end = sessions.close(own.named, "signed_out")
    yield* holder.recorded("signOut", own.operator, correlationId, end)
    return { address, cookies: Cookies.empty }
  }
  if (holder.sso === null) return { address, cookies: Cookies.empty }
  const { cookies } = yield* holder.sso.signOut(request, correlationId, (found) => {
    address = found
    return HttpServerResponse.empty()
  })
  return { address, cookies }
})

export const closeOwn = Effect.fnUntraced(function* (
  desk: Desk,
  sessions: ConsoleSessions["Service"],
  { query, request }: Route.Call<typeof ownEndpoint>
) {
  yield* desk.own(request)
  const signed = yield* desk.signed(request)
  const account = query.kind === "operator" ? null : signed.account
  const operator = query.kind === "account" ? null : signed.operator
  if (account !== null) yield* sessions.close(account.named, "signed_out")
  const ended =
    operator === null || desk.operator === null
      ? null
      : yield* closeOperator(desk.operator, sessions, operator, request)
  const now = {
    account: account === null ? signed.account : null,
    operator: operator === null ? signed.operator : null
  }
  const answer = desk.swept(yield* desk.answer(now, ended?.address ?? null), request, now)
  return ended === null ? answer : HttpServerResponse.mergeCookies(answer, ended.cookies)
})

export const closeOthers = Effect.fnUntraced(function* (
  desk: Desk,
  sessions: ConsoleSessions["Service"],
  { query, request }: Route.Call<typeof othersEndpoint>
) {
  yield* desk.own(request)
  const found = yield* others(desk, yield* desk.signed(request), query.kind)
  if (found === null) return yield* unknown
  const { named, recorded } = found
  const ended = found.sessions.filter(({ sessionId }) => sessionId !== named.sessionId)
  const all = yield* sessions.stateOf(named.holder)
  yield* recorded(
    "endSessions",
    ended.length === all.sessions.length - 1
      ? sessions.endOthers(named)
      : Effect.forEach(ended, ({ sessionId }) =>
          sessions.close({ holder: named.holder, sessionId }, "revoked")
        )
  )
  return Answer.empty(204, { "cache-control": "no-store" })
})

export const closeOne = Effect.fnUntraced(function* (
  desk: Desk,
  sessions: ConsoleSessions["Service"],
  { params, query, request }: Route.Call<typeof oneEndpoint>
) {
  yield* desk.own(request)
  const found = yield* others(desk, yield* desk.signed(request), query.kind)
  if (found === null || !found.sessions.some(({ sessionId }) => sessionId === params.sessionId)) {
    return yield* unknown
  }
  const { named, recorded } = found
  yield* recorded(
    "endSession",
    sessions.close({ holder: named.holder, sessionId: params.sessionId }, "revoked")
  )
  return Answer.empty(204, { "cache-control": "no-store" })
})
