/** The query parameters that all lists have (decisions): `page` and `limit`, or the `cursor` of an earlier page. */
import { Result } from "effect"
import type { Cursor } from "./Cursor.ts"
import { invalid, issue, issues, type Parsed } from "./Parsed.ts"

export interface PageQuery {
  readonly page?: string | undefined
  readonly limit?: string | undefined
  readonly cursor?: string | undefined
}

export interface AskedPage<PageKey> {
  /** From 1. */
  readonly page: number
  /** Where it begins; `null`: where its number says. */
  readonly after: PageKey | null
  readonly limit: number
}

export const mostPerPage = 100

/** Of a page whose list has none of its own. */
export const usualLimit = 20

/** So that a place in the list is always a number that can be counted to. */
export const mostPages = 999_999_999

export const parse = <PageKey>(
  query: PageQuery,
  { cursor, defaultLimit }: { readonly cursor: Cursor<PageKey>; readonly defaultLimit: number }
): Parsed<AskedPage<PageKey>> => {
  const parts = {
    begin: parseBegin(query, cursor),
    limit: parseCount("limit", query.limit ?? String(defaultLimit), mostPerPage)
  }
  return Result.all(parts).pipe(
    Result.map(({ begin, limit }) => ({ ...begin, limit })),
    Result.mapError(() => issues(parts))
  )
}

const parseBegin = <PageKey>(
  { cursor: text, page }: PageQuery,
  cursor: Cursor<PageKey>
): Parsed<Omit<AskedPage<PageKey>, "limit">> => {
  if (text === undefined) {
    return Result.map(parseCount("page", page ?? "1", mostPages), (page) => ({ page, after: null }))
  }
  return page === undefined
    ? cursor.parse(text)
    : invalid(issue(["page"], "exclusive", "must not be given beside cursor"))
}

const parseCount = (name: string, text: string, most: number): Parsed<number> => {
  const count = /^[1-9]\d{0,8}$/.test(text) ? Number(text) : Number.NaN
  return count <= most
    ? Result.succeed(count)
    : invalid(issue([name], "range", `${name} must be a whole number from 1 to ${most}`))
}
