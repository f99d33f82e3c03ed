/** Normalizes the parameters of an authorization request (OAuth 2.1, 4.1.1). */
import * as Resource from "./Resource.ts"

const taken = new Set([
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
 * Drops unknown parameters. There is only one scope, and every authorization asks the user, so that of `prompt` only
 * `none` has an effect. Only `response_mode=query` and `response_type=code` are supported; other values are made to
 * fail in the query.
 *
 * @param query with or without its question mark.
 */
export const normalized = (query: string, mcpUrl: string): string => {
  const asked = new URLSearchParams(query)
  const params = new URLSearchParams([...asked].filter(([name]) => taken.has(name)))
  params.set("scope", Resource.scope)
  Resource.rename(params, mcpUrl)
  if (asked.getAll("prompt").includes("none")) params.set("prompt", "none")
  if (asked.getAll("response_mode").some((mode) => mode !== "query")) params.set("response_mode", unknown)
  if (asked.getAll("response_type").some((type) => type !== "code")) params.set("response_type", unknown)
  return params.toString()
}

/** The first parameter above the length limit; `null` when there is none. */
export const tooLong = (query: string): string | null => {
  const asked = new URLSearchParams(query)
  const isTooLong = (name: string) => Buffer.byteLength(asked.getAll(name).join("")) > longest
  return [...taken].find(isTooLong) ?? null
}
