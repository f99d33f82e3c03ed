/** The issuer of `OIDC_ISSUER`, as openid-client talks to it: discovery, the authorization-code flow with PKCE, sign-out. */
import { Clock, Effect, Predicate, Redacted, Schema, Semaphore } from "effect"
import type * as Oidc from "openid-client"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"
import * as IssuerFetch from "./IssuerFetch.ts"
import * as Paths from "./Paths.ts"
import * as RoleMap from "./RoleMap.ts"
import type { SsoSettings } from "./SsoSettings.ts"

/** The issuer gives no usable answer. `reason` is for the log only. */
export class IssuerAway extends Schema.TaggedError<IssuerAway>()("IssuerAway", { reason: Schema.String }) {}

/** The answer of the issuer is no valid sign-in. `code` is a word of the protocol or of openid-client. */
export class AnswerRefused extends Schema.TaggedError<AnswerRefused>()("AnswerRefused", {
  code: Schema.String
}) {}

/** What one sign-in must come back with. */
export interface Secrets {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

export interface SignedIn {
  readonly subject: string
  readonly name: string
  /** Of `OIDC_ROLE_CLAIM`. */
  readonly claim: unknown
}

/** Metadata is read again after this time. */
const freshMs = 60 * 60_000

/** After the first failure; doubled with each further one. */
const shortestPauseMs = 1_000
const longestPauseMs = 60_000

/** A word without the issuer's own text. */
const wordOf = (text: unknown): string =>
  typeof text === "string" && /^[A-Za-z_]{1,64}$/.test(text) ? text : "unknown"

const codeOf = (error: unknown): string => {
  if (Predicate.hasProperty(error, "error")) return wordOf(error.error)
  return wordOf(Predicate.hasProperty(error, "code") ? error.code : undefined)
}

const isAway = (error: unknown): boolean => {
  if (error instanceof IssuerFetch.NoAnswerOfIssuer) return true
  if (Predicate.hasProperty(error, "status") && typeof error.status === "number") return error.status >= 500
  if (!Predicate.hasProperty(error, "cause")) return false
  const { cause } = error
  return cause instanceof Response ? cause.status >= 500 : isAway(cause)
}

const reasonOf = (error: unknown): string => {
  if (error instanceof IssuerFetch.NoAnswerOfIssuer) return error.message
  if (Predicate.hasProperty(error, "cause") && error.cause instanceof Response)
    return `http_${error.cause.status}`
  if (Predicate.hasProperty(error, "cause") && error.cause instanceof Error) return reasonOf(error.cause)
  return codeOf(error)
}

const mostCharacters = 200

/** The first claim that is a name, without control characters. */
const nameOf = (claims: Readonly<Record<string, unknown>>, subject: string): string => {
  const names = [claims["name"], claims["preferred_username"], claims["email"], subject]
  const found = names.find((name): name is string => typeof name === "string" && name.trim() !== "")
  return (found ?? subject).replace(/\p{C}/gu, " ").trim().slice(0, mostCharacters)
}

/** openid-client is loaded at the first sign-in, not at the start. */
const load = Effect.promise(() => import("openid-client"))

interface Found {
  readonly metadata: Oidc.ServerMetadata
  readonly at: number
}

export const make = Effect.fnUntraced(function* (settings: SsoSettings) {
  const fetch = yield* IssuerFetch.make
  const clock = yield* Clock.Clock
  const lock = yield* Semaphore.make(1)
  const redirectUri = settings.adminUrl + Paths.callback
  const isPlain = settings.issuer.startsWith("http:")
  let found: Found | null = null
  let failures = 0
  let pausedUntil = 0

  const authenticationOf = (oidc: typeof Oidc, metadata: Oidc.ServerMetadata) => {
    const secret = Redacted.value(settings.clientSecret)
    const methods = metadata.token_endpoint_auth_methods_supported ?? ["client_secret_basic"]
    return methods.includes("client_secret_basic")
      ? oidc.ClientSecretBasic(secret)
      : oidc.ClientSecretPost(secret)
  }

  /** A new one for each sign-in, because it caches the issuer's keys: a rotation is in force at once. */
  const configure = (oidc: typeof Oidc, metadata: Oidc.ServerMetadata) => {
    const configuration = new oidc.Configuration(
      { ...metadata },
      settings.clientId,
      {},
      authenticationOf(oidc, metadata)
    )
    configuration[oidc.customFetch] = fetch
    if (isPlain) oidc.allowInsecureRequests(configuration)
    oidc.enableNonRepudiationChecks(configuration)
    return configuration
  }

  const isUsable = ({ authorization_endpoint: endpoint, issuer }: Oidc.ServerMetadata): boolean =>
    issuer === settings.issuer && URL.parse(endpoint ?? "")?.protocol === (isPlain ? "http:" : "https:")

  const discover = Effect.fnUntraced(function* (oidc: typeof Oidc) {
    const metadata = yield* Effect.tryPromise({
      try: async () => {
        const configuration = await oidc.discovery(
          new URL(settings.issuer),
          settings.clientId,
          undefined,
          oidc.None(),
          { [oidc.customFetch]: fetch, execute: isPlain ? [oidc.allowInsecureRequests] : [] }
        )
        return configuration.serverMetadata()
      },
      catch: (error) => new IssuerAway({ reason: reasonOf(error) })
    })
    if (!isUsable(metadata)) {
      return yield* new IssuerAway({
        reason: "its metadata has another issuer, or no authorization endpoint"
      })
    }
    return metadata
  })

  /** Metadata that was read before is used while the issuer is away. */
  const metadata = Effect.fnUntraced(function* (oidc: typeof Oidc) {
    const now = MonotonicTime.millisOf(clock)
    if (found !== null && now - found.at < freshMs) return found.metadata
    if (now < pausedUntil) {
      return found === null ? yield* new IssuerAway({ reason: "paused" }) : found.metadata
    }
    return yield* discover(oidc).pipe(
      Effect.tap((metadata) =>
        Effect.sync(() => {
          found = { metadata, at: MonotonicTime.millisOf(clock) }
          failures = 0
        })
      ),
      Effect.catch((error) => {
        pausedUntil =
          MonotonicTime.millisOf(clock) + Math.min(longestPauseMs, shortestPauseMs * 2 ** failures)
        failures = Math.min(failures + 1, 10)
        return Effect.andThen(
          Effect.logWarning("The issuer of single sign-on gives no metadata").pipe(
            Effect.annotateLogs({ reason: error.reason })
          ),
          found === null ? Effect.fail(error) : Effect.succeed(found.metadata)
        )
      })
    )
  })

  const configuration = Effect.gen(function* () {
    const oidc = yield* load
    const known = yield* lock.withPermit(metadata(oidc))
    return { oidc, configuration: configure(oidc, known) }
  })

  const attempt = <A>(run: () => Promise<A>): Effect.Effect<A, IssuerAway | AnswerRefused> =>
    Effect.tryPromise({
      try: run,
      catch: (error) =>
        isAway(error)
          ? new IssuerAway({ reason: reasonOf(error) })
          : new AnswerRefused({ code: codeOf(error) })
    })

  /** Where the browser goes to sign in. */
  const begin = Effect.gen(function* () {
    const { configuration: client, oidc } = yield* configuration
    const secrets: Secrets = {
      state: oidc.randomState(),
      nonce: oidc.randomNonce(),
      verifier: oidc.randomPKCECodeVerifier()
    }
    const challenge = yield* Effect.promise(() => oidc.calculatePKCECodeChallenge(secrets.verifier))
    const address = oidc.buildAuthorizationUrl(client, {
      redirect_uri: redirectUri,
      scope: settings.scopes,
      state: secrets.state,
      nonce: secrets.nonce,
      code_challenge: challenge,
      code_challenge_method: "S256"
    })
    return { address: address.href, secrets }
  })

  /**
   * Redeems the code of `query` and checks the ID token: signature, issuer, audience, times, nonce.
   * @param query of the address to which the issuer sent the browser.
   */
  const finish = Effect.fnUntraced(function* (query: string, { nonce, state, verifier }: Secrets) {
    const { configuration: client, oidc } = yield* configuration
    const tokens = yield* attempt(() =>
      oidc.authorizationCodeGrant(client, new URL(`${redirectUri}?${query}`), {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true
      })
    )
    const claims = tokens.claims()
    if (claims === undefined) return yield* new AnswerRefused({ code: "id_token_missing" })
    const own = RoleMap.claimAt(claims, settings.roleClaim)
    const more =
      own === undefined && client.serverMetadata().userinfo_endpoint !== undefined
        ? yield* attempt(() => oidc.fetchUserInfo(client, tokens.access_token, claims.sub))
        : {}
    const all = { ...more, ...claims }
    const signedIn: SignedIn = {
      subject: claims.sub,
      name: nameOf(all, claims.sub),
      claim: RoleMap.claimAt(all, settings.roleClaim)
    }
    return signedIn
  })

  /** Where the browser goes to sign out at the issuer; `null` if the issuer offers none or is away. */
  const signOut = configuration.pipe(
    Effect.map(({ configuration: client, oidc }) =>
      client.serverMetadata().end_session_endpoint === undefined ? null : oidc.buildEndSessionUrl(client).href
    ),
    Effect.catch(() => Effect.succeed(null))
  )

  return { begin, finish, signOut }
})
