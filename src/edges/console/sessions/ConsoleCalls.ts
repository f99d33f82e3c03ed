/**
 * Calls of the console: `/console/api/<path>` is served as `<path>`, by the account or the operator that the cookie has
 * signed in. So every route, its fast path, its streams, rates and errors are those of the API itself. Whether the call comes
 * from our own pages is decided here; behind, it has neither cookies nor an origin.
 */
import type { IncomingMessage } from "node:http"
import { Effect, Layer } from "effect"
import { Front } from "#src/edges/http/edge/FrontedServer.ts"
import { consoleHost } from "#src/edges/http/edge/RouteTable.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import { SingleSignOn, type Sso } from "#src/edges/sso/SingleSignOn.ts"
import * as SessionCredential from "#src/features/accounts/sessions/SessionCredential.ts"
import * as Cookies from "./Cookies.ts"
import { addressesOf } from "./Desk.ts"
import * as OwnPages from "./OwnPages.ts"
import * as Paths from "./Paths.ts"

/** The path and query behind the prefix; `null` for other paths. */
const targetOf = (url: string): string | null => {
  if (!url.startsWith(Paths.api)) return null
  const rest = url.slice(Paths.api.length)
  if (rest === "" || rest.startsWith("?")) return `/${rest}`
  return rest.startsWith("/") ? rest : null
}

interface Served {
  readonly account: boolean
  readonly operator: boolean
}

const isBelow = (target: string, path: string): boolean =>
  /^(?:[/?]|$)/.test(target.slice(path.length)) && target.startsWith(path)

const make = Effect.fnUntraced(function* ({ account, operator }: Served, sso: Sso | null) {
  const addresses = yield* addressesOf({ account: account || null, operator: operator || null })
  const judge = OwnPages.make(addresses)
  const cookies = Cookies.make(addresses)

  /** `null` for nobody. An operator who has signed in with a key stays that one. */
  const authorizationOf = (target: string, sent: Cookies.Sent): string | null => {
    const kind = isBelow(target, "/admin") ? "operator" : "account"
    const token = cookies.tokenOf(sent, kind)
    if (token !== undefined) return SessionCredential.authorizationOf(token)
    const ofSso = kind === "operator" ? sso?.tokenOf(sent) : undefined
    return ofSso === undefined ? null : `Key ${ofSso}`
  }

  return (request: IncomingMessage): ErrorAnswer.ErrorAnswer | null => {
    const { headers, method = "", url = "" } = request
    const target = targetOf(url)
    if (target === null) return null
    if (isBelow(target, Paths.root)) return ErrorAnswer.unknownRoute
    const refused = judge({ method, headers })
    if (refused !== null) return refused
    const authorization = authorizationOf(target, Cookies.parse(headers.cookie))
    delete headers.cookie
    delete headers.origin
    delete headers.authorization
    if (authorization !== null) headers.authorization = authorization
    headers.host = consoleHost
    request.url = target
    return null
  }
})

const layer = <R>(served: Served, sso: Effect.Effect<Sso | null, never, R>) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const front = yield* Front
      yield* front.admit(yield* make(served, yield* sso))
    })
  )

const ofSso = Effect.map(SingleSignOn, ({ sso }) => sso)

/** On `PORT` beside administration, on `PORT` without it, and on `ADMIN_PORT`. */
export const everybody = layer({ account: true, operator: true }, ofSso)
export const accounts = layer({ account: true, operator: false }, Effect.succeed(null))
export const operators = layer({ account: false, operator: true }, ofSso)
