/** Normalizes the parameters of an authorization request (OAuth 2.1, 4.1.1). */
import * as Resource from "./Resource.ts"

const supported = new Set([
  "client_id",
  "code_challenge",
  "code_challenge_method",
  "redirect_uri",
  "resource",
  "response_type",
  "state"
])

/** Bytes, of all values of a parameter together. A request is stored until it is decided. */
export const longest = 2_048

/** As the value of a parameter, this makes the provider refuse the request in the query. */
const unknown = "none"

/**
 * Drops unknown parameters. There is only one scope. Every authorization asks the user, so `prompt` has an effect only
 * with `none`. Values other than `response_mode=query` and `response_type=code` are made to fail in the query.
 *
 * @param query with or without its question mark.
 */
export const normalized = (query: string, mcpUrl: string): string => {
  const requested = new URLSearchParams(query)
  const params = new URLSearchParams([...requested].filter(([name]) => supported.has(name)))
  params.set("scope", Resource.scope)
  Resource.rename(params, mcpUrl)
  if (requested.getAll("prompt").includes("none")) params.set("prompt", "none")
  if (requested.getAll("response_mode").some((mode) => mode !== "query")) params.set("response_mode", unknown)
  if (requested.getAll("response_type").some((type) => type !== "code")) params.set("response_type", unknown)
  return params.toString()
}

/** The first parameter above the length limit; `null` when there is none. */
export const tooLong = (query: string): string | null => {
  const requested = new URLSearchParams(query)
  const isTooLong = (name: string) => Buffer.byteLength(requested.getAll(name).join("")) > longest
  return [...supported].find(isTooLong) ?? null
}
