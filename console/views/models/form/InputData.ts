/** The value of a form as an input: without what is not filled in. */
import type { Json } from "#domain/CanonicalJson.ts"

/** Drops members that are undefined, as JSON does. @param data of a form. */
export const of = (data: unknown): Json => {
  if (data === null || typeof data === "boolean" || typeof data === "string") return data
  if (typeof data === "number") return Number.isFinite(data) ? data : null
  if (Array.isArray(data)) return data.map((item: unknown) => (item === undefined ? null : of(item)))
  if (typeof data !== "object") return null
  const members = Object.entries(data).flatMap(([name, member]) =>
    member === undefined ? [] : [[name, of(member)] as const]
  )
  return Object.fromEntries(members)
}

export const isEqual = (left: Json, right: Json): boolean =>
  left === right || JSON.stringify(left) === JSON.stringify(right)
