/** `GET /files`: a page of the account's files, newest first. */
import { Effect, Result, Schema } from "effect"
import type { Caller } from "#src/accounts/Caller.ts"
import { AssetLibrary } from "#src/files/AssetLibrary.ts"
import * as Answer from "../../Answer.ts"
import * as Refusal from "../../Refusal.ts"
import * as Cursor from "../../requests/Cursor.ts"
import * as FileFilter from "../../requests/FileFilter.ts"
import * as PageQuery from "../../requests/PageQuery.ts"
import * as Parsed from "../../requests/Parsed.ts"
import * as FileView from "../../views/FileView.ts"
import * as ListView from "../../views/ListView.ts"

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
