/** `/v1/files`: the account's files in the form of OpenAI's API. */
import { Effect, Schema } from "effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import { FileId } from "#domain/Ids.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import type { PageKey } from "#projections/files/FileFilter.ts"
import { AssetLibrary, type LibraryFile } from "#src/features/files/AssetLibrary.ts"
import { MediaStore } from "#src/features/media/MediaStore.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as ListParameters from "#src/edges/http/api/ListParameters.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { anyQuery, Requires, TakesQuery } from "#src/edges/http/api/RouteAnnotations.ts"
import * as OpenaiErrors from "../OpenaiErrors.ts"
import * as OpenaiRoute from "../OpenaiRoute.ts"
import * as FileIds from "./FileIds.ts"
import * as StoredForm from "./StoredForm.ts"
import * as UploadForm from "./UploadForm.ts"

const FileObject = Schema.Struct({
  id: Schema.String.annotate({ description: "`file-` and the id of the file." }),
  object: Schema.Literal("file"),
  bytes: Schema.Int,
  created_at: Schema.Int,
  expires_at: Schema.Int,
  filename: Schema.String,
  purpose: Schema.String.annotate({
    description: "As given at the upload; `user_data` for other files of the account."
  }),
  status: Schema.Literals(["uploaded", "processed"]),
  url: Schema.String.annotate({ description: "Where inputs name it." })
}).annotate({ identifier: "OpenaiFile" })

const seconds = (at: number) => Math.floor(at / 1_000)

const shown = (file: LibraryFile): typeof FileObject.Type => ({
  id: FileIds.shown(file.fileId),
  object: "file",
  bytes: file.size ?? 0,
  created_at: seconds(file.createdAt),
  expires_at: seconds(file.expiresAt),
  filename: file.fileName,
  purpose: file.purpose,
  status: file.status === "pending" ? "uploaded" : "processed",
  url: file.url
})

/** As OpenAI's API knows them (https://platform.openai.com/docs/api-reference/files/create). */
const purposes = ["assistants", "batch", "fine-tune", "vision", "user_data", "evals"] as const

const isPurpose = Schema.is(Schema.Literals(purposes))

const unknownPurpose = OpenaiErrors.invalid(`purpose must be one of ${purposes.join(", ")}.`, "purpose")

/** The form of an answer for a file that is not there: also one that was there. */
const noSuchFile = OpenaiErrors.notFound("No such File object.", "id")

const found = Effect.map(
  AssetLibrary,
  (library) => (caller: Caller, given: string) =>
    Effect.catchTag(library.get({ caller, id: FileIds.idOf(given) }), ["FileNotFound", "FileGone"], () =>
      Effect.fail(noSuchFile)
    )
)

const params = { fileId: Schema.String.annotate({ description: "As an upload or a list gave it." }) }
const error = OpenaiRoute.errors

const createEndpoint = HttpApiEndpoint.post("createOpenaiFile", "/v1/files", {
  success: FileObject,
  error
})
  .annotate(Requires, "files:write")
  .annotate(TakesQuery, anyQuery)
  .annotate(OpenApi.Summary, "Upload a file (OpenAI)")
  .annotate(
    OpenApi.Description,
    "`multipart/form-data` with `file` and `purpose`, at most 64 MiB. Larger files: `POST /storage/upload/initiate`."
  )

export const createFile = Route.make(
  createEndpoint,
  Effect.all({ read: UploadForm.make, store: StoredForm.make, library: AssetLibrary }),
  function* ({ library, read, store }, { request }, caller) {
    return yield* read(request, caller, (form) =>
      Effect.gen(function* () {
        const { purpose } = form.fields
        if (!isPurpose(purpose)) return yield* unknownPurpose
        const { fileId } = yield* store(caller, form, purpose)
        return Answer.json(200, shown(yield* library.get({ caller, id: fileId })))
      })
    )
  }
)

const noSuchPlace = OpenaiErrors.invalid("after must be the id of a file of this account.", "after")

const orders = ["asc", "desc"] as const

/** OpenAI's own, and its default. */
const longestPage = 10_000

/** Names are opened one by one. Clients follow `has_more` and `last_id`. */
const mostPerPage = 1_000

const listEndpoint = HttpApiEndpoint.get("listOpenaiFiles", "/v1/files", {
  query: {
    after: ListParameters.text("The id of the last file of the page before, which may be deleted meanwhile."),
    limit: ListParameters.text(
      "Of one page. It has at most 1,000 files, and `has_more` says if others follow.",
      {
        type: "integer",
        minimum: 1,
        maximum: longestPage
      }
    ),
    order: ListParameters.text("By the time of creation.", { enum: [...orders], default: "desc" }),
    purpose: ListParameters.text("Only files with this purpose.")
  },
  success: Schema.Struct({
    object: Schema.Literal("list"),
    data: Schema.Array(FileObject),
    has_more: Schema.Boolean,
    first_id: Schema.NullOr(Schema.String),
    last_id: Schema.NullOr(Schema.String)
  }),
  error
})
  .annotate(Requires, "files:read")
  .annotate(TakesQuery, anyQuery)
  .annotate(OpenApi.Summary, "List files (OpenAI)")
  .annotate(OpenApi.Description, "Uploads and outputs of requests.")

const limitOf = (text: string | undefined): number | null => {
  if (text === undefined) return mostPerPage
  const limit = Number(text)
  return Number.isInteger(limit) && limit >= 1 && limit <= longestPage ? Math.min(limit, mostPerPage) : null
}

const isOrder = Schema.is(Schema.Literals(orders))
const unknownOrder = OpenaiErrors.invalid(`order must be one of ${orders.join(", ")}.`, "order")

export const listFiles = Route.make(listEndpoint, AssetLibrary, function* (library, { query }, caller) {
  const limit = limitOf(query.limit)
  if (limit === null) return yield* OpenaiErrors.invalid("limit must be an integer from 1 to 10000.", "limit")
  const { order, purpose } = query
  if (order !== undefined && !isOrder(order)) return yield* unknownOrder
  const pageAfter = (after: PageKey | null) => library.list({ caller, page: 1, after, limit, order, purpose })
  const last = query.after === undefined ? null : { caller, id: FileIds.idOf(query.after) }
  const after =
    last === null ? null : yield* Effect.catchTag(library.placeOf(last), "FileNotFound", () => noSuchPlace)
  let { items, next } = yield* pageAfter(after)
  // Expired files are left out. Clients stop at an empty page.
  while (items.length === 0 && next !== null) ({ items, next } = yield* pageAfter(next))
  const data = items.map(shown)
  return Answer.json(200, {
    object: "list",
    data,
    has_more: next !== null,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null
  })
})

const getEndpoint = HttpApiEndpoint.get("getOpenaiFile", "/v1/files/:fileId", {
  params,
  success: FileObject,
  error
})
  .annotate(Requires, "files:read")
  .annotate(TakesQuery, anyQuery)
  .annotate(OpenApi.Summary, "One file (OpenAI)")
  .annotate(OpenApi.Description, "The record of a file.")

export const getFile = Route.make(getEndpoint, found, function* (get, { params }, caller) {
  return Answer.json(200, shown(yield* get(caller, params.fileId)))
})

const contentEndpoint = HttpApiEndpoint.get("getOpenaiFileContent", "/v1/files/:fileId/content", {
  params,
  success: Schema.Unknown.annotate({ description: "The bytes." }),
  error
})
  .annotate(Requires, "files:read")
  .annotate(TakesQuery, anyQuery)
  .annotate(OpenApi.Summary, "The bytes of a file (OpenAI)")
  .annotate(OpenApi.Description, "As its `url` answers them.")

export const getContent = Route.make(
  contentEndpoint,
  Effect.all({ get: found, media: MediaStore }),
  function* ({ get, media }, { params }, caller) {
    const { fileId } = yield* get(caller, params.fileId)
    const opened = yield* Effect.catchTag(media.open(FileId.make(fileId)), "MediaGone", () =>
      Effect.succeed(null)
    )
    if (opened === null) return yield* noSuchFile
    const { contentType, disposition, size } = opened.media
    return HttpServerResponse.stream(opened.body, {
      contentType,
      contentLength: size,
      headers: { "cache-control": "no-store", "content-disposition": disposition }
    })
  }
)

const deleteEndpoint = HttpApiEndpoint.delete("deleteOpenaiFile", "/v1/files/:fileId", {
  params,
  success: Schema.Struct({
    id: Schema.String,
    object: Schema.Literal("file"),
    deleted: Schema.Literal(true)
  }),
  error
})
  .annotate(Requires, "files:write")
  .annotate(TakesQuery, anyQuery)
  .annotate(OpenApi.Summary, "Delete a file (OpenAI)")
  .annotate(OpenApi.Description, "It cannot be read from then on, nor deleted again.")

export const deleteFile = Route.make(
  deleteEndpoint,
  Effect.all({ get: found, library: AssetLibrary }),
  function* ({ get, library }, { params }, caller) {
    const { fileId: id } = yield* get(caller, params.fileId)
    yield* Effect.catchTag(library.remove({ caller, id }), "FileNotFound", () => noSuchFile)
    return Answer.json(200, { id: FileIds.shown(id), object: "file", deleted: true })
  }
)
