/** What the routes of sessions share: who may sign in on this listener, its cookies, and its own pages. */
import { Effect, Option } from "effect"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Answer from "#src/edges/http/Answer.ts"
import { UnderWay } from "#src/edges/http/edge/Exchanges.ts"
import * as SsoPaths from "#src/edges/sso/Paths.ts"
import { adminUrl } from "#src/edges/sso/SsoSettings.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import { version } from "#src/kernel/program/ReleaseVersion.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import type { AccountHolder, AccountSession } from "./AccountHolder.ts"
import * as Cookies from "./Cookies.ts"
import type { OperatorHolder, OperatorSession } from "./OperatorHolder.ts"
import * as OwnPages from "./OwnPages.ts"
import * as SessionViews from "./SessionViews.ts"

export interface Signed {
  readonly account: AccountSession | null
  readonly operator: OperatorSession | null
}

/** Who can sign in on a listener. */
export interface Holders {
  readonly account: AccountHolder | null
  readonly operator: OperatorHolder | null
}

/** Public addresses of a listener. */
export const addressesOf = ({
  account,
  operator
}: {
  readonly account: unknown
  readonly operator: unknown
}) =>
  Effect.gen(function* () {
    const { baseUrl } = yield* PublicUrls
    const own = yield* adminUrl.config
    return [...(account === null ? [] : [baseUrl]), ...(operator === null ? [] : Option.toArray(own))]
  })

const none = Effect.succeed(null)

type Request = Pick<HttpServerRequest, "cookies" | "headers" | "method">

export const make = Effect.fnUntraced(function* ({ account, operator }: Holders) {
  const addresses = yield* addressesOf({ account, operator })
  const urls = yield* PublicUrls
  const cookies = Cookies.make(addresses)
  const judge = OwnPages.make(addresses)
  const sso = operator?.sso ?? null

  /** Refuses a call of another site's page. */
  const own = (request: Request) => {
    const refused = judge(request)
    return refused === null ? Effect.void : Effect.fail(refused)
  }

  const signed = ({ cookies: sent }: Request): Effect.Effect<Signed, EventStoreError> =>
    Effect.all({
      account: account === null ? none : account.find(cookies.tokenOf(sent, "account")),
      operator: operator === null ? none : operator.find(cookies.tokenOf(sent, "operator"), sent)
    })

  const body = ({ account: byAccount, operator: byOperator }: Signed, signOut: string | null) => ({
    account: byAccount === null ? null : SessionViews.account(byAccount),
    operator: byOperator === null ? null : SessionViews.operator(byOperator),
    serves: { account: account !== null, operator: operator !== null },
    sso: sso === null ? null : { signIn: `${sso.adminUrl}${SsoPaths.signInToConsole}` },
    signOut,
    urls,
    release: version
  })

  /** Who is signed in. */
  const answer = (now: Signed, signOut: string | null = null) =>
    Effect.map(UnderWay, ({ correlationId }) =>
      Answer.toResponse(
        Answer.json(200, body(now, signOut) satisfies typeof SessionViews.SessionBody.Type),
        correlationId
      )
    )

  /** Without the cookies of sessions that are over. */
  const swept = (
    response: HttpServerResponse.HttpServerResponse,
    { cookies: sent }: Request,
    { account: byAccount, operator: byOperator }: Signed
  ) => {
    let rest = response
    if (byAccount === null && cookies.tokenOf(sent, "account") !== undefined) {
      rest = cookies.without(rest, "account")
    }
    if ((byOperator?.named ?? null) === null && cookies.tokenOf(sent, "operator") !== undefined) {
      rest = cookies.without(rest, "operator")
    }
    return rest
  }

  return { account, operator, cookies, own, signed, answer, swept }
})

export type Desk = Effect.Success<ReturnType<typeof make>>
