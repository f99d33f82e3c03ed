/** `GET …/files`, one of them, and its deletion. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiSchema, OpenApi } from "effect/http-api"
import { Effect } from "effect"
import { AssetLibrary, type LibraryFile } from "#src/features/files/AssetLibrary.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import * as RequestRoute from "#src/edges/api/requests/RequestRoute.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { Requires } from "#src/edges/http/api/RouteAnnotations.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import * as PageQuery from "#src/edges/http/requests/PageQuery.ts"
import * as Pages from "../Pages.ts"
import * as Paths from "../Paths.ts"
import * as ReplicateErrors from "../ReplicateErrors.ts"
import * as FileView from "./FileView.ts"

const recordOf = (file: LibraryFile) => FileView.record({ ...file, id: file.fileId })

const list = HttpApiEndpoint.get("listReplicateFiles", `${Paths.root}/files`, {
  query: { cursor: Pages.cursor },
  success: Pages.bodyOf(FileView.Body).annotate({
    identifier: "ReplicateFiles",
    description: "A page of the uploaded files, newest first."
  }),
  error: ReplicateErrors.ofKeys
})
  .annotate(Requires, "files:read")
  .annotate(OpenApi.Summary, "List uploaded files")
  .annotate(OpenApi.Description, "Without outputs of predictions.")

const paging = PageQuery.make(
  Schema.Struct({ createdAt: Schema.Int, fileId: Schema.String }),
  PageQuery.mostPerPage
)

export const listFiles = Route.make(
  list,
  Effect.all({ library: AssetLibrary, urls: PublicUrls }),
  function* ({ library, urls }, { query }, caller) {
    const page = yield* ErrorAnswer.orInvalid(paging.parse(query))
    const { items, next } = yield* library.list({ caller, source: "upload", ...page })
    const url = Pages.nextUrl(urls.baseUrl, "files", paging.nextOf(page.page, next))
    return Answer.json(200, { previous: null, next: url, results: items.map(recordOf) })
  }
)

const params = { fileId: RequestRoute.described("24 characters.") }

/** One of another account is unknown there. */
const unknown = Effect.fail(ErrorAnswer.unknownFile)

const get = HttpApiEndpoint.get("getReplicateFile", `${Paths.root}/files/:fileId`, {
  params,
  success: FileView.Body,
  error: [...ReplicateErrors.ofKeys, ReplicateErrors.notFound, ReplicateErrors.gone]
})
  .annotate(Requires, "files:read")
  .annotate(OpenApi.Summary, "One file")
  .annotate(OpenApi.Description, "The record of a file. Its bytes are at `urls.get`.")

export const getFile = Route.make(get, AssetLibrary, function* (library, { params }, caller) {
  const found = yield* library
    .get({ caller, id: params.fileId })
    .pipe(Effect.catchTag("FileForbidden", () => unknown))
  return Answer.json(200, recordOf(found))
})

const remove = HttpApiEndpoint.delete("deleteReplicateFile", `${Paths.root}/files/:fileId`, {
  params,
  success: HttpApiSchema.NoContent.annotate({ description: "The file is deleted, now or earlier." }),
  error: [...ReplicateErrors.ofKeys, ReplicateErrors.notFound]
})
  .annotate(Requires, "files:write")
  .annotate(OpenApi.Summary, "Delete a file")
  .annotate(OpenApi.Description, "Its URL answers 410 from then on.")

export const deleteFile = Route.make(remove, AssetLibrary, function* (library, { params }, caller) {
  yield* library.remove({ caller, id: params.fileId }).pipe(Effect.catchTag("FileForbidden", () => unknown))
  return Answer.empty(204, { "cache-control": "no-store" })
})
