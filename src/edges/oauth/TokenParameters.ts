/** Normalizes the parameters of a token request (OAuth 2.1, 3.2). */
import * as Resource from "./Resource.ts"

/**
 * Unknown parameters are kept, and the provider ignores them. There is only one scope, which a refresh gets whatever
 * it requests.
 *
 * @param body a form.
 */
export const normalized = (body: string, mcpUrl: string): string => {
  const params = new URLSearchParams(body)
  params.delete("scope")
  Resource.rename(params, mcpUrl)
  return params.toString()
}
