/** What of an authorization request is looked at (OAuth 2.1, 4.1.1). */
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

/** Bytes, of all values of a parameter together: what is asked for is kept until it is decided. */
export const longest = 2_048

/** In this place the provider says that it has no such thing, and says it in the query. */
const unknown = "none"

/**
 * What we do not know is ignored. There is one scope, whatever is asked for; and everybody is asked each time, so that of
 * the prompts only `none` says something. Answers go with the query alone: a wish for another way is refused as such, and
 * so is one for something else than a code, whose answer would come in the fragment.
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

/** The first parameter that is longer than any may be, `null` if none is. */
export const tooLong = (query: string): string | null => {
  const asked = new URLSearchParams(query)
  const isTooLong = (name: string) => Buffer.byteLength(asked.getAll(name).join("")) > longest
  return [...taken].find(isTooLong) ?? null
}
