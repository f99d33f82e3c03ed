/** What of an authorization request is looked at (OAuth 2.1, 4.1.1). */
import { scope } from "./Resource.ts"

const taken = new Set([
  "client_id",
  "code_challenge",
  "code_challenge_method",
  "redirect_uri",
  "resource",
  "response_type",
  "state"
])

/**
 * What we do not know is ignored. There is one scope, whatever is asked for; and everybody is asked each time, so that of
 * the prompts only `none` says something. Answers go with the query alone: a wish for another way is refused as such.
 *
 * @param query with or without its question mark.
 */
export const normalized = (query: string): string => {
  const asked = new URLSearchParams(query)
  const params = new URLSearchParams([...asked].filter(([name]) => taken.has(name)))
  params.set("scope", scope)
  if (asked.getAll("prompt").includes("none")) params.set("prompt", "none")
  if (asked.getAll("response_mode").some((mode) => mode !== "query")) params.set("response_mode", "none")
  return params.toString()
}
