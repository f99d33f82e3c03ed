/** `GET /files`: a page of the account's files, newest first. */
import { Effect, Result, Schema } from "effect"
import type { Caller } from "#src/features/accounts/Caller.ts"
import { AssetLibrary } from "#src/features/files/AssetLibrary.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as Refusal from "#src/edges/http/Refusal.ts"
import * as Cursor from "#src/edges/http/requests/Cursor.ts"
import * as FileFilter from "./FileFilter.ts"
import * as PageQuery from "#src/edges/http/requests/PageQuery.ts"
import * as Parsed from "#src/edges/http/requests/Parsed.ts"
import * as FileView from "#src/features/files/views/FileView.ts"
import * as ListView from "#src/platform/views/ListView.ts"

export interface ListFilesCall {
  readonly caller: Caller
  readonly query: FileFilter.FileQuery & PageQuery.PageQuery
}

const paging = {
  cursor: Cursor.make(Schema.Struct({ createdAt: Schema.Int, fileId: Schema.String })),
  defaultLimit: PageQuery.usualLimit
}

export const make = Effect.gen(function* () {
  const library = yield* AssetLibrary

  return Effect.fnUntraced(function* ({ caller, query }: ListFilesCall) {
    const parts = { filter: FileFilter.parse(query), asked: PageQuery.parse(query, paging) }
    const parsed = Result.all(parts)
    if (Result.isFailure(parsed)) return yield* Refusal.invalid(Parsed.issues(parts))
    const { asked, filter } = parsed.success
    const { items, next, total } = yield* library.list({ caller, ...filter, ...asked })
    const { limit, page } = asked
    const body = ListView.of({
      page,
      limit,
      total,
      data: items.map(FileView.record),
      next: next === null ? null : paging.cursor.encode({ page: page + 1, after: next })
    })
    return Answer.json(200, body)
  })
})
