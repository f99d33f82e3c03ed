/** The value of a form as an input: without what is not filled in. */
import * as JsonText from "#domain/JsonText.ts"
import { isList, isRecord } from "#console/views/result/JsonShape.ts"
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

/** Also of numbers that JavaScript rounds. */
export const isEqual = (left: Json, right: Json): boolean =>
  left === right ||
  (isSame(left, right) &&
    (JsonText.longIntegers(left).length === 0 || JsonText.write(left) === JsonText.write(right)))

const isSame = (left: Json, right: Json): boolean => JSON.stringify(left) === JSON.stringify(right)

/** What a form made of `before`, with the texts of all that it has not changed: a form knows values alone. */
export const keeping = (before: Json, next: Json): Json => {
  if (isSame(before, next)) return before
  if (isList(before) && isList(next)) {
    const items = JsonText.items(before)
    return next.map((item, index) => keeping(items[index] ?? null, item))
  }
  if (!isRecord(before) || !isRecord(next)) return next
  const set = Object.entries(next).flatMap(([name, member]) => {
    const known = JsonText.member(before, name)
    return known !== undefined && isSame(known, member)
      ? []
      : [[name, known === undefined ? member : keeping(known, member)] as const]
  })
  const omit = Object.keys(before).filter((name) => !Object.hasOwn(next, name))
  return JsonText.edit(before, { omit, set: Object.fromEntries(set) })
}
