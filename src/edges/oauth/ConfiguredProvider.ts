/** oidc-provider with our configuration, and the three things of it that no configuration reaches. */
import { errors, Provider } from "oidc-provider"
import * as ClientSecret from "./ClientSecret.ts"
import * as ProviderConfiguration from "./ProviderConfiguration.ts"
import * as RecordAdapter from "./RecordAdapter.ts"
import type { Records } from "./Records.ts"

export interface Options extends Omit<ProviderConfiguration.Options, "adapter"> {
  readonly records: Records["Service"]
}

/** The same for all of them: whoever has stolen one is not told what is wrong with it. */
const invalidGrant = {
  error: "invalid_grant",
  error_description:
    "The code or refresh token is not valid, or not any more, or not for this client, redirect_uri and code_verifier: sign in again."
}

export const make = ({ records, ...options }: Options): Provider => {
  const { logins, mcpUrl, run } = options
  const adapter = RecordAdapter.make({ records, endLogin: logins.end, run })
  const provider = new Provider(mcpUrl, ProviderConfiguration.make({ ...options, adapter }))
  // The scheme is the issuer's, as `ProviderCall` says it.
  provider.proxy = true
  provider.Client.prototype.compareClientSecret = function (text) {
    return ClientSecret.matches(this.clientSecret ?? "", text)
  }
  provider.on("grant.error", (ctx, error) => {
    if (error instanceof errors.InvalidGrant) ctx.body = invalidGrant
  })
  return provider
}
