/** The routes on which people sign in to the console, and see and end their sessions. */
import { Effect, Layer } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import * as Answer from "#src/edges/http/Answer.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import * as ClientAddress from "#src/edges/http/edge/ClientAddress.ts"
import { ConsoleSessions } from "#src/features/accounts/sessions/ConsoleSessions.ts"
import { accountHolder } from "./AccountHolder.ts"
import * as CloseSessions from "./CloseSessions.ts"
import * as Desk from "./Desk.ts"
import { operatorHolder } from "./OperatorHolder.ts"
import * as OpenSession from "./OpenSession.ts"
import * as Paths from "./Paths.ts"
import * as SessionViews from "./SessionViews.ts"

const getEndpoint = HttpApiEndpoint.get("getConsoleSession", Paths.session, {
  success: SessionViews.SessionBody,
  error: [...CommonResponses.usual, CommonResponses.forbidden]
})
  .annotate(OpenApi.Summary, "Who is signed in")
  .annotate(OpenApi.Description, "For nobody as well. Removes cookies of sessions that are over.")

const listEndpoint = HttpApiEndpoint.get("listConsoleSessions", `${Paths.session}/all`, {
  success: SessionViews.ListBody,
  error: [...CommonResponses.usual, CommonResponses.forbidden]
})
  .annotate(OpenApi.Summary, "List sessions")
  .annotate(
    OpenApi.Description,
    "Of the account and of the operator that are signed in; empty for nobody. A key without `keys:admin` sees sessions with the same key only. Sessions of single sign-on are listed by administration."
  )

const get = Effect.fnUntraced(function* (desk: Desk.Desk, { request }: Route.Call<typeof getEndpoint>) {
  yield* desk.own(request)
  const signed = yield* desk.signed(request)
  return desk.swept(yield* desk.answer(signed), request, signed)
})

const list = Effect.fnUntraced(function* (desk: Desk.Desk, { request }: Route.Call<typeof listEndpoint>) {
  yield* desk.own(request)
  const { account, operator } = yield* desk.signed(request)
  const ofAccount = account === null || desk.account === null ? [] : yield* desk.account.others(account)
  const ofOperator = operator === null || desk.operator === null ? [] : yield* desk.operator.others(operator)
  return Answer.json(200, {
    account: ofAccount.map(SessionViews.listed(account?.session.sessionId ?? "")),
    operator: ofOperator.map(SessionViews.listed(operator?.sessionId ?? ""))
  } satisfies typeof SessionViews.ListBody.Type)
})

const endpoints = [
  { endpoint: getEndpoint },
  { endpoint: OpenSession.endpoint },
  { endpoint: CloseSessions.ownEndpoint },
  { endpoint: listEndpoint },
  { endpoint: CloseSessions.othersEndpoint },
  { endpoint: CloseSessions.oneEndpoint }
] as const

/** Served on every host: the console is where the browser has found it. */
export class SessionsApi extends HttpApiGroup.make("consoleSessions")
  .add(...Route.endpointsOf(endpoints))
  .annotate(OpenApi.Title, "Console")
  .annotate(
    OpenApi.Description,
    "The sign-in of the console, for its own pages: calls that are not GET need the `Origin` of this server and `x-inferlog-console: 1`. A cookie is valid below `/console` only, where `/console/api/<path>` serves this API to whoever is signed in."
  ) {}

/** @param holders who can sign in on the listener. */
const serving = <E, R>(holders: Effect.Effect<Desk.Holders, E, R>) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const desk = yield* Desk.make(yield* holders)
      const sessions = yield* ConsoleSessions
      const addressOf = yield* ClientAddress.make
      return DeclaredRoutes.layer(DeclaredRoutes.everybody, [
        Route.prepared(
          getEndpoint,
          Effect.succeed((call: Route.Call<typeof getEndpoint>) => get(desk, call))
        ),
        Route.prepared(
          OpenSession.endpoint,
          Effect.succeed((call: Route.Call<typeof OpenSession.endpoint>) =>
            OpenSession.handle(desk, addressOf, call)
          )
        ),
        Route.prepared(
          CloseSessions.ownEndpoint,
          Effect.succeed((call: Route.Call<typeof CloseSessions.ownEndpoint>) =>
            CloseSessions.closeOwn(desk, sessions, call)
          )
        ),
        Route.prepared(
          listEndpoint,
          Effect.succeed((call: Route.Call<typeof listEndpoint>) => list(desk, call))
        ),
        Route.prepared(
          CloseSessions.othersEndpoint,
          Effect.succeed((call: Route.Call<typeof CloseSessions.othersEndpoint>) =>
            CloseSessions.closeOthers(desk, sessions, call)
          )
        ),
        Route.prepared(
          CloseSessions.oneEndpoint,
          Effect.succeed((call: Route.Call<typeof CloseSessions.oneEndpoint>) =>
            CloseSessions.closeOne(desk, sessions, call)
          )
        )
      ])
    })
  ).pipe(Layer.provide(ConsoleSessions.layer))

/** On `PORT` beside administration, on `PORT` without it, and on `ADMIN_PORT`. */
export const everybody = serving(Effect.all({ account: accountHolder, operator: operatorHolder }))
export const accounts = serving(Effect.map(accountHolder, (account) => ({ account, operator: null })))
export const operators = serving(Effect.map(operatorHolder, (operator) => ({ account: null, operator })))
