/** The URL of the books: the account and the period that are shown. */
import { given, textOf } from "#console/app/SearchValues.ts"

const dateOf = (value: unknown): string | undefined => {
  const text = textOf(value)
  return text !== undefined && /^\d{4}-\d\d-\d\d$/.test(text) ? text : undefined
}

export const parse = (search: Readonly<Record<string, unknown>>) =>
  given({
    account: textOf(search["account"]),
    from: dateOf(search["from"]),
    to: dateOf(search["to"])
  })

export type Search = ReturnType<typeof parse>
