/** The settings of single sign-on for operators: issuer, client and role map together, or nothing. */
import { Config, Duration, Effect, Option, type Redacted, Result, Schema } from "effect"
import { allowPrivateTargets } from "#src/kernel/outbound/Vetting.ts"
import { InvalidSettings } from "#src/kernel/settings/InvalidSettings.ts"
import { PublicUrl, PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import * as Setting from "#src/kernel/settings/Setting.ts"
import * as RoleMap from "./RoleMap.ts"

/** OpenID Connect Discovery 1.0, 3: no query, no fragment. */
const isIssuer = (text: string): boolean => {
  const url = URL.parse(text)
  return (
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.username === "" &&
    !/[?#]/.test(text) &&
    url.password === ""
  )
}

const issuer = Setting.optional({
  name: "OIDC_ISSUER",
  config: (name) =>
    Config.schema(
      Schema.String.check(Schema.makeFilter(isIssuer, { expected: "the `https` URL of an issuer" })),
      name
    ),
  defaultText: "operators sign in with keys only",
  description: "the OpenID Connect issuer with which operators sign in, exactly as it names itself",
  accepts:
    "an `https` URL without query and fragment, or `http` for a loopback address with `ALLOW_PRIVATE_TARGETS`",
  example: "https://id.example.com/realms/main"
})

const clientId = Setting.optional({
  name: "OIDC_CLIENT_ID",
  config: (name) => Config.NonEmptyString(name),
  defaultText: "required with `OIDC_ISSUER`",
  description: "the id of this service at the issuer",
  accepts: "a text",
  example: "inferlog"
})

const clientSecret = Setting.optional({
  name: "OIDC_CLIENT_SECRET",
  config: (name) => Config.Redacted(name),
  defaultText: "required with `OIDC_ISSUER`",
  description: "the secret of this service at the issuer",
  accepts: "a text",
  example: "n4bQgYhMfWWaLqgxVrQFQ",
  isSecret: true
})

const ScopeText = Schema.String.check(
  Schema.makeFilter(
    (text: string) => /^[!#-[\]-~]+( [!#-[\]-~]+)*$/.test(text) && text.split(" ").includes("openid")
  )
)

const scopes = Setting.make({
  name: "OIDC_SCOPES",
  config: (name) => Config.schema(ScopeText, name),
  default: "openid profile email",
  description: "the scopes that are asked of the issuer; some issuers need one more for the claim of roles",
  accepts: "`openid` and other scopes with single spaces between",
  example: "openid profile email groups"
})

const roleClaim = Setting.make({
  name: "OIDC_ROLE_CLAIM",
  config: (name) => Config.NonEmptyString(name),
  default: "groups",
  description:
    "the claim whose values `OIDC_ROLE_MAP` names, in the ID token or else at the issuer's userinfo",
  accepts: "the name of a claim, or names with dots between for one inside others",
  example: "realm_access.roles"
})

const MapText = Schema.String.check(
  Schema.makeFilter((text: string) => Result.isSuccess(RoleMap.parse(text)))
)

const roleMap = Setting.optional({
  name: "OIDC_ROLE_MAP",
  config: (name) =>
    Config.map(Config.schema(MapText, name), (text) =>
      Result.getOrElse(RoleMap.parse(text), (): ReadonlyArray<RoleMap.Rule> => [])
    ),
  defaultText: "required with `OIDC_ISSUER`",
  description: "which value of the claim gives which role; the first entry that fits counts",
  accepts:
    "`role=value` with commas between, for the roles `viewer`, `operator`, `auditor` and `owner`, and `viewer=*` for everyone whom the issuer signs in",
  example: "owner=inferlog-admins,operator=inferlog-operators",
  fault: (text) => Result.match(RoleMap.parse(text), { onFailure: (fault) => fault, onSuccess: () => null })
})

const shortest = Duration.minutes(1)
const longest = Duration.hours(24)

const Lifetime = Schema.DurationFromString.check(
  Schema.makeFilter(
    (time: Duration.Duration) => Duration.between(time, { minimum: shortest, maximum: longest }),
    { expected: "1 minute to 24 hours" }
  )
)

const sessionTime = Setting.make({
  name: "OIDC_SESSION_TIME",
  config: (name) => Config.schema(Lifetime, name),
  default: Duration.hours(8),
  defaultText: "`8 hours`",
  description:
    "how long an operator stays signed in; a role that the issuer takes away ends by then at the latest",
  accepts: "a duration from 1 minute to 24 hours",
  example: "1 hour"
})

export const adminUrl = Setting.optional({
  name: "ADMIN_URL",
  config: (name) => Config.schema(PublicUrl, name),
  defaultText: "`BASE_URL`; required with `OIDC_ISSUER` and `ADMIN_PORT`",
  description: "public address of administration, to which the issuer sends browsers back",
  accepts: "an `http` or `https` URL without trailing slash, query and fragment",
  example: "https://admin.example.com"
})

export const all = [
  adminUrl,
  issuer,
  clientId,
  clientSecret,
  scopes,
  roleClaim,
  roleMap,
  sessionTime
] satisfies ReadonlyArray<Setting.Setting<unknown>>

export interface SsoSettings {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted
  readonly scopes: string
  readonly roleClaim: string
  readonly roleMap: ReadonlyArray<RoleMap.Rule>
  readonly sessionMs: number
  /** Public address of administration, without trailing slash. */
  readonly adminUrl: string
}

const isLoopback = (url: string): boolean =>
  /^(localhost|127(\.\d+){3}|\[::1\])$/.test(URL.parse(url)?.hostname ?? "")

const wrong = (setting: Setting.Setting<unknown>, fault: string) => InvalidSettings.of([{ setting, fault }])

/** `null` without single sign-on. Fails if only a part of it is set. */
export const read = Effect.gen(function* () {
  const found = {
    issuer: yield* issuer.config,
    clientId: yield* clientId.config,
    clientSecret: yield* clientSecret.config,
    roleMap: yield* roleMap.config
  }
  const parts = [
    [issuer, found.issuer],
    [clientId, found.clientId],
    [clientSecret, found.clientSecret],
    [roleMap, found.roleMap]
  ] as const
  const isSet = parts.filter(([, value]) => value._tag === "Some")
  if (isSet.length === 0) return null
  const missing = parts.find(([, value]) => value._tag === "None")
  if (missing !== undefined) {
    return yield* wrong(missing[0], "it is missing, and other settings of single sign-on are set")
  }
  const needed = yield* Effect.fromOption(Option.all(found)).pipe(Effect.orDie)
  const isPlain = needed.issuer.startsWith("http:")
  if (isPlain && !(isLoopback(needed.issuer) && (yield* allowPrivateTargets.config))) {
    return yield* wrong(issuer, "plain http is for a loopback address with ALLOW_PRIVATE_TARGETS only")
  }
  const { baseUrl } = yield* PublicUrls
  const settings: SsoSettings = {
    ...needed,
    scopes: yield* scopes.config,
    roleClaim: yield* roleClaim.config,
    sessionMs: Duration.toMillis(yield* sessionTime.config),
    adminUrl: Option.getOrElse(yield* adminUrl.config, () => baseUrl)
  }
  return settings
})

/** Checks that `ADMIN_URL` is set where browsers would otherwise come back to another port. */
export const checkOwnPort = Effect.gen(function* () {
  const [own, found] = [yield* adminUrl.config, yield* issuer.config]
  if (Option.isSome(found) && Option.isNone(own)) {
    return yield* wrong(adminUrl, "it is missing, and ADMIN_PORT and OIDC_ISSUER are set")
  }
})
