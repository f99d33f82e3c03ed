/** oidc-provider with our configuration, and the two things of it that no configuration reaches. */
import { Provider } from "oidc-provider"
import * as ClientSecret from "./ClientSecret.ts"
import * as ProviderConfiguration from "./ProviderConfiguration.ts"
import * as RecordAdapter from "./RecordAdapter.ts"
import type { Records } from "./Records.ts"

export interface Options extends Omit<ProviderConfiguration.Options, "adapter"> {
  readonly records: Records["Service"]
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
  return provider
}
