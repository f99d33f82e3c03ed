/** What of a token request is looked at (OAuth 2.1, 3.2). */
import * as Resource from "./Resource.ts"

/**
 * Unlike an authorization request it keeps what we do not know, which the provider leaves aside. There is one scope, whatever
 * is asked for: a refresh that names others gets it as well.
 *
 * @param body a form.
 */
export const normalized = (body: string, mcpUrl: string): string => {
  const params = new URLSearchParams(body)
  params.delete("scope")
  Resource.rename(params, mcpUrl)
  return params.toString()
}
