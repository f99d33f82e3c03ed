/** The URL of the journal: which events are shown, or the entries of which account and period. */
import { isPosition } from "../chain/LogEvent.ts"
import * as BooksSearch from "../books/BooksSearch.ts"
import { given, textOf } from "#console/app/SearchValues.ts"

const positionOf = (value: unknown): string | undefined => {
  const text = textOf(value)
  return text !== undefined && isPosition(text) ? text : undefined
}

export const parse = (search: Readonly<Record<string, unknown>>) => ({
  ...given({
    form: search["form"] === "entries" ? ("entries" as const) : undefined,
    type: textOf(search["type"]),
    stream: textOf(search["stream"]),
    after: positionOf(search["after"]),
    until: positionOf(search["until"])
  }),
  ...BooksSearch.parse(search)
})

export type Search = ReturnType<typeof parse>

/** Which events of the log. */
export type Choice = Pick<Search, "type" | "stream" | "after" | "until">
