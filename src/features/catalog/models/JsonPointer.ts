/** JSON pointers (RFC 6901) into JSON values. Only own members are visible. */
import { isList, type Json } from "#domain/CanonicalJson.ts"

const arrayIndex = /^(?:0|[1-9]\d{0,9})$/

/** Property names and indexes; `null` if malformed. */
const tokensOf = (pointer: string): ReadonlyArray<string> | null => {
  if (pointer === "") return []
  if (!pointer.startsWith("/") || /~(?![01])/.test(pointer)) return null
  return pointer
    .slice(1)
    .split("/")
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"))
}

const memberOf = (value: Json | undefined, token: string): Json | undefined => {
  if (value === undefined || value === null || typeof value !== "object") return undefined
  if (isList(value)) return arrayIndex.test(token) ? value[Number(token)] : undefined
  return Object.hasOwn(value, token) ? value[token] : undefined
}

/** The value there; `undefined` without one, or if the pointer is malformed. */
export const at = (json: Json, pointer: string): Json | undefined =>
  tokensOf(pointer)?.reduce<Json | undefined>(memberOf, json)

const withMember = (value: Json, token: string, member: Json): Json => {
  if (value === null || typeof value !== "object") return value
  if (isList(value)) return value.with(Number(token), member)
  // A computed name is always an own property, even `__proto__`.
  return { ...value, [token]: member }
}

/** A copy with another value there, or the same value if nothing is there. Shares what is not on the path. */
export const replaceAt = (json: Json, pointer: string, value: Json): Json => {
  const tokens = tokensOf(pointer)
  if (tokens === null) return json
  const parents: Array<Json> = []
  let here = json
  for (const token of tokens) {
    const member = memberOf(here, token)
    if (member === undefined) return json
    parents.push(here)
    here = member
  }
  return parents.reduceRight<Json>(
    (member, parent, depth) => withMember(parent, tokens[depth] ?? "", member),
    value
  )
}
