/** Pages of lists: `next` is the URL of the next page, and there is no way back. */
import { Schema } from "effect"
import * as ListParameters from "#src/edges/http/api/ListParameters.ts"
import * as Paths from "./Paths.ts"

export const cursor = ListParameters.text("As in `next`.")

export const bodyOf = <Item extends Schema.Top>(item: Item) =>
  Schema.Struct({
    previous: Schema.Null,
    next: Schema.NullOr(Schema.String).annotate({ description: "URL of the next page; null on the last." }),
    results: Schema.Array(item)
  })

/** @param query further parameters of the list, which the next page keeps. */
export const nextUrl = (
  baseUrl: string,
  path: string,
  cursor: string | null,
  query: Readonly<Record<string, string | undefined>> = {}
): string | null => {
  if (cursor === null) return null
  const url = new URL(`${baseUrl}${Paths.root}/${path}`)
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) url.searchParams.set(name, value)
  url.searchParams.set("cursor", cursor)
  return url.href
}
