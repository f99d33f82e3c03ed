/** oidc-provider with this server's configuration, and three changes that its configuration does not allow. */
import { errors, Provider } from "oidc-provider"
import * as ClientSecret from "./ClientSecret.ts"
import * as ProviderConfiguration from "./ProviderConfiguration.ts"
import * as RecordAdapter from "./RecordAdapter.ts"
import type { Records } from "./Records.ts"

export interface Options extends Omit<ProviderConfiguration.Options, "adapter"> {
  readonly records: Records["Service"]
}

/** One error for all causes, so that a thief of a token does not learn the cause. */
const invalidGrant = {
  error: "invalid_grant",
  error_description:
    "The code or refresh token is not valid, or not any more, or not for this client, redirect_uri and code_verifier: sign in again."
}

export const make = ({ records, ...options }: Options): Provider => {
  const { logins, mcpUrl, run } = options
  const adapter = RecordAdapter.make({ records, endLogin: logins.end, run })
  const provider = new Provider(mcpUrl, ProviderConfiguration.make({ ...options, adapter }))
  // Makes the provider use the issuer's scheme, which `ProviderCall` passes on.
  provider.proxy = true
  provider.Client.prototype.compareClientSecret = function (text) {
    return ClientSecret.matches(this.clientSecret ?? "", text)
  }
  provider.on("grant.error", (ctx, error) => {
    if (error instanceof errors.InvalidGrant) ctx.body = invalidGrant
  })
  return provider
}
