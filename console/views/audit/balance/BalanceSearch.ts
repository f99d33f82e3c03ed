/** The URL of the proof of a balance: whose, and at what time. */
import { given, textOf } from "#console/app/SearchValues.ts"

const timeOf = (value: unknown): string | undefined => {
  const text = textOf(value)
  return text !== undefined && !Number.isNaN(Date.parse(text)) ? text : undefined
}

export const parse = (search: Readonly<Record<string, unknown>>) =>
  given({ account: textOf(search["account"]), until: timeOf(search["until"]) })
