/** Compares JSON with an expectation of the behaviour table. */
import { isDeepStrictEqual } from "node:util"

/** What `$name` stands for: the first value that it met. */
export type Bindings = Map<string, unknown>

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const show = (value: unknown) => (JSON.stringify(value) ?? "nothing").slice(0, 300)

/** Whether each expected item matches an item of its own, and none is left over. */
const isPermutation = (expected: ReadonlyArray<unknown>, actual: unknown, bindings: Bindings): boolean => {
  if (!Array.isArray(actual) || actual.length !== expected.length) return false
  const left: Array<unknown> = [...actual]
  return expected.every((item) => {
    const index = left.findIndex((each) => differences(item, each, bindings, "").length === 0)
    return index >= 0 && left.splice(index, 1).length > 0
  })
}

/**
 * Lists the differences of `actual`. An expectation is JSON, in which these stand for more than themselves: a text `$name` (any value,
 * the same wherever the case says `$name`), `{ "$like": pattern }`, `{ "$has": {…} }` (an object with these fields, and maybe more),
 * `{ "$set": […] }` (a list in any order), `{ "$any": true }`, and `null` in place of a field for one that must be absent or null.
 */
export const differences = (
  expected: unknown,
  actual: unknown,
  bindings: Bindings,
  at: string
): ReadonlyArray<string> => {
  const wrong = (words: string) => [`${at}: expected ${words}, got ${show(actual)}`]
  if (typeof expected === "string" && /^\$\w+$/.test(expected)) {
    if (actual === undefined || actual === null) return wrong(expected)
    if (!bindings.has(expected)) bindings.set(expected, actual)
    const bound = bindings.get(expected)
    return isDeepStrictEqual(bound, actual) ? [] : wrong(`${expected} = ${show(bound)}`)
  }
  if (isRecord(expected)) {
    const { $any, $has, $like, $set } = expected
    if ($any !== undefined) return actual === undefined ? wrong("a value") : []
    if (Array.isArray($set))
      return isPermutation($set, actual, bindings) ? [] : wrong(`in any order ${show($set)}`)
    if (typeof $like === "string")
      return typeof actual === "string" && new RegExp($like).test(actual) ? [] : wrong(`/${$like}/`)
    const fields = $has === undefined ? expected : isRecord($has) ? $has : {}
    if (!isRecord(actual)) return wrong(show(fields))
    const inAddition = $has === undefined ? Object.keys(actual).filter((key) => !(key in fields)) : []
    return [
      ...inAddition.map((key) => `${at}.${key}: expected nothing, got ${show(actual[key])}`),
      ...Object.entries(fields).flatMap(([key, value]) =>
        value === null && actual[key] === undefined
          ? []
          : differences(value, actual[key], bindings, `${at}.${key}`)
      )
    ]
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) return wrong(show(expected))
    const items: ReadonlyArray<unknown> = actual
    if (items.length !== expected.length) return wrong(`${expected.length} items: ${show(expected)}`)
    return expected.flatMap((item, index) => differences(item, items[index], bindings, `${at}[${index}]`))
  }
  return isDeepStrictEqual(expected, actual) ? [] : wrong(show(expected))
}
