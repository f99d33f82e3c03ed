/** Pages of lists (decisions): `page` and `limit`, or the `cursor` of an earlier page. */
import { Result, type Schema } from "effect"
import type { PageRequest, PageWithTotal } from "#projections/Page.ts"
import * as ListView from "#src/platform/views/ListView.ts"
import * as Cursor from "./Cursor.ts"
import * as Parsed from "./Parsed.ts"

export interface PageQuery {
  readonly page?: string | undefined
  readonly limit?: string | undefined
  readonly cursor?: string | undefined
}

export const mostPerPage = 100

export const usualLimit = 20

/** Keeps the number of every item a safe integer. */
export const mostPages = 999_999_999

/**
 * The pages of one list.
 * @param pageKey the form of the key that a page ends with.
 * @param limit of a page whose query names none.
 */
export const make = <PageKey>(pageKey: Schema.Codec<PageKey, Schema.Json>, limit = usualLimit) => {
  const cursor = Cursor.make(pageKey)

  const parseBegin = ({ cursor: text, page }: PageQuery) => {
    if (text === undefined) {
      return Result.map(parseCount("page", page ?? "1", mostPages), (page) => ({ page, after: null }))
    }
    return page === undefined
      ? cursor.parse(text)
      : Parsed.invalid(Parsed.issue(["page"], "exclusive", "must not be given beside cursor"))
  }

  const parse = (query: PageQuery): Parsed.Parsed<PageRequest<PageKey>> =>
    Result.map(
      Parsed.all({
        begin: parseBegin(query),
        limit: parseCount("limit", query.limit ?? String(limit), mostPerPage)
      }),
      ({ begin, limit }) => ({ ...begin, limit })
    )

  /** The cursor of the page after that item. */
  const nextOf = (page: number, after: PageKey | null) =>
    after === null ? null : cursor.encode({ page: page + 1, after })

  /** The body of the answer. */
  const body = <Item, Wire>(
    { limit, page }: PageRequest<PageKey>,
    { items, next, total }: PageWithTotal<Item, PageKey>,
    toWire: (item: Item) => Wire
  ) => ListView.of({ page, limit, total, data: items.map(toWire), next: nextOf(page, next) })

  return { parse, nextOf, body }
}

const parseCount = (name: string, text: string, most: number): Parsed.Parsed<number> => {
  const count = /^[1-9]\d{0,8}$/.test(text) ? Number(text) : Number.NaN
  return count <= most
    ? Result.succeed(count)
    : Parsed.invalid(Parsed.issue([name], "range", `${name} must be a whole number from 1 to ${most}`))
}
