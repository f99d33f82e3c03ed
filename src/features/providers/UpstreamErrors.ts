/** Reads code, parameter and type from a provider's error, which most write as OpenAI does: `{ error: { message, code, … } }`. */
import { isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import type { UpstreamError } from "#domain/UpstreamError.ts"

/** Characters of a word that are kept. */
const longestWord = 200

/** A code is a word, and a parameter a path. Other texts are messages, or may hide something. */
const words = /^[\w.[\]:/ -]+$/

/** Numbers are statuses, or mean nothing elsewhere. */
const wordOf = (value: Json | undefined): string | undefined =>
  typeof value === "string" && value.length <= longestWord && words.test(value) ? value : undefined

/** Some servers have the members of `error` at the top level. */
const errorIn = (json: Json | undefined): JsonObject => {
  if (!isObject(json)) return {}
  const { error } = json
  return isObject(error) ? error : json
}

/** Without members if the error says nothing but its message. */
export const of = (json: Json | undefined, status?: number): UpstreamError => {
  const error = errorIn(json)
  const [code, param, type] = [error["code"], error["param"], error["type"]].map(wordOf)
  return {
    ...(status !== undefined && { status }),
    ...(code !== undefined && { code }),
    ...(param !== undefined && { param }),
    ...(type !== undefined && { type })
  }
}

/** As a member of an outcome, if it says anything. */
export const member = (error: UpstreamError): { readonly upstream?: UpstreamError } =>
  Object.keys(error).length === 0 ? {} : { upstream: error }
