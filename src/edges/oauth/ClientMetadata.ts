/** The metadata that a client may register (RFC 7591, 2): a name and redirect addresses; the rest is ours or ignored. */
import { Predicate, Result, Schema } from "effect"
import * as ClientName from "./pages/ClientName.ts"
import * as RedirectUri from "./RedirectUri.ts"
import { scope } from "./Resource.ts"

/** As stored, and as oidc-provider reads it; without the id, the secret and the time. */
export interface ClientMetadata {
  readonly application_type: "native"
  readonly client_name?: string
  readonly client_uri?: string
  readonly logo_uri?: string
  readonly tos_uri?: string
  readonly policy_uri?: string
  readonly redirect_uris: ReadonlyArray<string>
  readonly grant_types: ReadonlyArray<"authorization_code" | "refresh_token">
  readonly response_types: ReadonlyArray<"code">
  readonly scope: typeof scope
  readonly token_endpoint_auth_method: AuthMethod
}

const AuthMethod = Schema.Literals(["none", "client_secret_basic", "client_secret_post"])
type AuthMethod = typeof AuthMethod.Type
export const authMethods = AuthMethod.literals
const isAuthMethod = Schema.is(AuthMethod)

/** RFC 7591, 3.2.2. */
export class MetadataRefused extends Schema.TaggedError<MetadataRefused>()("MetadataRefused", {
  error: Schema.Literals(["invalid_redirect_uri", "invalid_client_metadata"]),
  description: Schema.String
}) {}

export const maxRedirectUris = 20
/** Characters. */
const longestName = 200

const redirectUris = (value: unknown): Result.Result<ReadonlyArray<string>, MetadataRefused> => {
  const refuse = (description: string) =>
    Result.fail(
      new MetadataRefused({ error: "invalid_redirect_uri", description: `redirect_uris ${description}` })
    )
  if (!Array.isArray(value) || value.length === 0) return refuse("must be a list of at least one URI")
  if (value.length > maxRedirectUris) return refuse(`must not be more than ${maxRedirectUris}`)
  const uris: Array<string> = []
  for (const uri of value) {
    const found = typeof uri === "string" ? RedirectUri.fault(uri) : "must be texts"
    if (typeof uri !== "string" || found !== null) return refuse(found ?? "must be texts")
    uris.push(uri)
  }
  return Result.succeed([...new Set(uris)])
}

/** People see the name, so its length is limited. */
const nameOf = (value: unknown): string | undefined => {
  const name = typeof value === "string" ? ClientName.readable(value) : null
  return name === null ? undefined : [...name].slice(0, longestName).join("")
}

/** URLs of pages about the client. This server never fetches them. */
const webUriOf = (value: unknown): string | undefined => {
  if (typeof value !== "string" || value.length > RedirectUri.longest) return undefined
  const protocol = URL.parse(value)?.protocol
  return protocol === "https:" || protocol === "http:" ? value : undefined
}

const given = <Key extends string>(key: Key, value: string | undefined) =>
  value === undefined ? {} : { [key]: value }

export const parse = (body: unknown): Result.Result<ClientMetadata, MetadataRefused> => {
  if (!Predicate.isObject(body)) {
    return Result.fail(
      new MetadataRefused({ error: "invalid_client_metadata", description: "the body must be a JSON object" })
    )
  }
  const method = body["token_endpoint_auth_method"]
  return Result.map(redirectUris(body["redirect_uris"]), (redirect_uris) => ({
    application_type: "native",
    ...given("client_name", nameOf(body["client_name"])),
    ...given("client_uri", webUriOf(body["client_uri"])),
    ...given("logo_uri", webUriOf(body["logo_uri"])),
    ...given("tos_uri", webUriOf(body["tos_uri"])),
    ...given("policy_uri", webUriOf(body["policy_uri"])),
    redirect_uris,
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    scope,
    token_endpoint_auth_method: isAuthMethod(method) ? method : "none"
  }))
}
