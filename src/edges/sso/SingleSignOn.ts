/** Single sign-on of operators: signs in at the issuer, opens sessions, and finds the operator of a session. */
import { Clock, Context, Effect, Layer, Option, Redacted, Schema, Semaphore } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import { Unauthorized } from "#src/features/accounts/Authentication.ts"
import { actAs, type Operator } from "#src/features/operators/Operator.ts"
import { OperatorActions } from "#src/features/operators/OperatorActions.ts"
import {
  identityOf,
  type Open,
  OperatorSessions,
  type SignInRepeated
} from "#src/features/operators/OperatorSessions.ts"
import { MasterKey } from "#src/kernel/secrets/MasterKey.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import * as SessionCookies from "./Cookies.ts"
import * as HandOff from "./HandOff.ts"
import * as Issuer from "./Issuer.ts"
import * as RoleMap from "./RoleMap.ts"
import * as SsoSettings from "./SsoSettings.ts"

/** The browser has begun no sign-in that this answer could belong to. */
export class NoPendingSignIn extends Schema.TaggedError<NoPendingSignIn>()("NoPendingSignIn", {}) {}

/** The issuer knows the person, and the claims give no role. */
export class NoRole extends Schema.TaggedError<NoRole>()("NoRole", {}) {}

/** Too many sign-ins wait for the issuer. */
export class SignInsBusy extends Schema.TaggedError<SignInsBusy>()("SignInsBusy", {}) {}

type Failure =
  | NoPendingSignIn
  | NoRole
  | SignInsBusy
  | SignInRepeated
  | Issuer.IssuerAway
  | Issuer.AnswerRefused
  | EventStoreError

/** A session in the place of an operator's key. */
const sessionKey = /^(?:Key|Bearer) +(oi_\S{1,400})$/i

/** Calls to the issuer at once. */
const mostAtOnce = 16

type Request = Pick<HttpServerRequest, "cookies" | "headers">

export interface Sso {
  readonly adminUrl: string
  /**
   * Sends the browser to the issuer. `answer` gets the address there. `waiting` is the command line that asks, or the
   * console, to which the browser goes on.
   */
  begin(
    waiting: HandOff.Waiting | "console" | null,
    answer: (address: string) => HttpServerResponse
  ): Effect.Effect<HttpServerResponse, SignInsBusy | Issuer.IssuerAway>
  /** The browser is back with `query`: adds the cookie of a session to `answer`, or hands the session to a command line. */
  finish(
    request: Request,
    query: string,
    callId: string,
    answer: (place: "console" | "done") => HttpServerResponse,
    handOff: (operator: Operator, address: string) => HttpServerResponse
  ): Effect.Effect<HttpServerResponse, Failure>
  /** The session that a code of a hand-off stands for. None for another secret, or too late. */
  handedOff(code: string, verifier: string): Effect.Effect<Option.Option<HandOff.Session>>
  hasSession(cookies: Request["cookies"]): boolean
  /** The secret of the session, which may be sent as a key; none without a cookie. */
  tokenOf(cookies: Request["cookies"]): string | undefined
  /** The request's session. */
  sessionOf(request: Pick<Request, "cookies">): Effect.Effect<Open, Unauthorized | EventStoreError>
  /** The operator of the request's session. */
  operatorOf(request: Request): Effect.Effect<Operator, Unauthorized | EventStoreError>
  /** Of a session that is sent as a key; `null` for other keys. */
  operatorOfKey(header: string): Effect.Effect<Operator, Unauthorized | EventStoreError> | null
  /** Ends the session, if there is one. `answer` gets the address to sign out at the issuer, or `null`. */
  signOut(
    request: Request,
    callId: string,
    answer: (address: string | null) => HttpServerResponse
  ): Effect.Effect<HttpServerResponse, EventStoreError>
  /** The origin of the issuer's page to sign out, once it is known. */
  readonly signOutOrigin: Effect.Effect<string | null>
}

const make = Effect.fnUntraced(function* (settings: SsoSettings.SsoSettings) {
  const sessions = yield* OperatorSessions
  const actions = yield* OperatorActions
  const issuer = yield* Issuer.make(settings)
  const permits = yield* Semaphore.make(mostAtOnce)
  const key = (yield* MasterKey).keyFor("sign-ins of operators")
  const cookies = SessionCookies.make(key, settings.adminUrl)
  const handOffs = HandOff.make((yield* MasterKey).keyFor("sessions for command lines"))

  const limited = <A, E>(effect: Effect.Effect<A, E>) =>
    permits
      .withPermitsIfAvailable(1)(effect)
      .pipe(
        Effect.flatMap(Option.match({ onNone: () => Effect.fail(new SignInsBusy()), onSome: Effect.succeed }))
      )

  const refusal = (id: string) =>
    Effect.logWarning("The issuer signed someone in whose claims give no role").pipe(
      Effect.annotateLogs({ operator: id })
    )

  const open = Effect.fnUntraced(function* (signedIn: Issuer.SignedIn, signInId: string, callId: string) {
    const { claim, name, subject } = signedIn
    const person = { issuer: settings.issuer, subject }
    const id = identityOf(person)
    const role = RoleMap.roleOf(settings.roleMap, claim)
    if (Option.isNone(role)) {
      yield* sessions.roleLost(person)
      yield* refusal(id)
      return yield* new NoRole()
    }
    const opening = sessions.open({
      person,
      name,
      role: role.value,
      signInId,
      lifetimeMs: settings.sessionMs
    })
    return yield* actions
      .recorded(
        {
          action: "signIn",
          targets: { issuer: settings.issuer },
          made: () => ({}),
          isRefusal: () => true
        },
        opening
      )
      .pipe(actAs({ operator: { id, name, role: role.value }, callId }))
  })

  const sessionOf: Sso["sessionOf"] = (request) => {
    const token = cookies.sessionOf(request.cookies)
    return token === undefined ? Effect.fail(new Unauthorized()) : sessions.find(token, settings.issuer)
  }

  const operatorOf: Sso["operatorOf"] = (request) =>
    Effect.map(sessionOf(request), ({ operator }) => operator)

  const sso: Sso = {
    adminUrl: settings.adminUrl,
    begin: Effect.fnUntraced(function* (waiting, answer) {
      const { address, secrets } = yield* limited(issuer.begin)
      const toConsole = waiting === "console"
      const pending = { ...secrets, toConsole, waiting: waiting === "console" ? null : waiting }
      return cookies.withPending(answer(address), pending, yield* Clock.currentTimeMillis)
    }),
    finish: Effect.fnUntraced(function* (request, query, callId, answer, handOff) {
      const pending = cookies.pendingOf(request.cookies, yield* Clock.currentTimeMillis)
      const states = new URLSearchParams(query).getAll("state")
      if (Option.isNone(pending) || states.length !== 1 || states[0] !== pending.value.state) {
        return yield* new NoPendingSignIn()
      }
      const signedIn = yield* limited(issuer.finish(query, pending.value))
      const { expiresAt, operator, token } = yield* open(signedIn, pending.value.state, callId)
      const { toConsole, waiting } = pending.value
      if (waiting === null) {
        const place = answer(toConsole ? "console" : "done")
        return cookies.withoutPending(cookies.withSession(place, Redacted.value(token), settings.sessionMs))
      }
      const { id: operatorId, name, role } = operator
      const session = { token: Redacted.value(token), operatorId, name, role, expiresAt }
      const code = handOffs.codeOf(session, waiting, yield* Clock.currentTimeMillis)
      return cookies.withoutPending(handOff(operator, HandOff.addressOf(waiting, code)))
    }),
    handedOff: (code, verifier) =>
      Effect.map(Clock.currentTimeMillis, (now) => handOffs.sessionOf(code, verifier, now)),
    hasSession: (found) => cookies.sessionOf(found) !== undefined,
    tokenOf: cookies.sessionOf,
    sessionOf,
    operatorOf,
    operatorOfKey: (header) => {
      const token = sessionKey.exec(header)?.[1]
      return token === undefined ? null : sessions.authenticate(token, settings.issuer)
    },
    signOut: Effect.fnUntraced(function* (request, callId, answer) {
      const token = cookies.sessionOf(request.cookies) ?? ""
      const operator = yield* operatorOf(request).pipe(
        Effect.map(Option.some),
        Effect.catchTag("Unauthorized", () => Effect.succeed(Option.none<Operator>()))
      )
      if (Option.isSome(operator)) {
        yield* actions
          .recorded(
            { action: "signOut", targets: {}, made: () => ({}), isRefusal: () => false },
            sessions.close(token, settings.issuer)
          )
          .pipe(actAs({ operator: operator.value, callId }))
      }
      return cookies.withoutSession(answer(yield* issuer.signOut))
    }),
    signOutOrigin: Effect.map(issuer.signOut, (address) => URL.parse(address ?? "")?.origin ?? null)
  }
  return sso
})

/** `null` without `OIDC_ISSUER`. */
export class SingleSignOn extends Context.Service<SingleSignOn, { readonly sso: Sso | null }>()(
  "inferlog/src/edges/sso/SingleSignOn"
) {
  static readonly layer = Layer.effect(
    SingleSignOn,
    Effect.gen(function* () {
      const settings = yield* SsoSettings.read
      return SingleSignOn.of({ sso: settings === null ? null : yield* make(settings) })
    })
  ).pipe(Layer.provide(Layer.mergeAll(OperatorSessions.layer, OperatorActions.layer)))
}
