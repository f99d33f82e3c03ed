/** The files of an account: its uploads, and the outputs of its requests (decisions, "Platform routes"). */
import { Schema } from "effect"
import { HttpApiGroup, OpenApi, HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import * as Authorization from "#src/edges/http/api/Authorization.ts"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { ServedOn, Requires } from "#src/edges/http/api/RouteAnnotations.ts"
import { AssetLibrary } from "#src/features/files/AssetLibrary.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import { StorageQuota } from "#src/features/media/storage/StorageQuota.ts"
import * as FileView from "#src/features/files/views/FileView.ts"
import { listFiles } from "./ListFiles.ts"

/** What the routes of files have in common. */
const paramsOfFile = {
  fileId: Schema.String.annotate({ description: "24 characters, as in the file's URL." })
}

/** `GET /files/{id}`: one file of the account. */
const getFileEndpoint = HttpApiEndpoint.get("getFileRecord", "/files/:fileId", {
  params: paramsOfFile,
  success: FileView.FileBody,
  error: [...CommonResponses.usual, CommonResponses.notFound, CommonResponses.gone]
})
  .annotate(Requires, "files:read")
  .annotate(OpenApi.Summary, "One file")
  .annotate(OpenApi.Description, "The record of a file. Its bytes are at its `url`.")

const getFile = Route.make(getFileEndpoint, AssetLibrary, function* (library, { params }, caller) {
  return Answer.json(200, FileView.record(yield* library.get({ caller, id: params.fileId })))
})

/** `GET /files/storage`: no id of a file is that short. */
const getStorageEndpoint = HttpApiEndpoint.get("getStorage", "/files/storage", {
  success: Schema.Struct({
    usedBytes: Schema.Int.annotate({
      description: "Of all files, with uploads that may still arrive at their declared size."
    }),
    maxBytes: Schema.NullOr(Schema.Int).annotate({ description: "The quota; null without one." })
  }).annotate({
    identifier: "Storage",
    description: "What the files of the account take.",
    examples: [{ usedBytes: 73_400_320, maxBytes: 107_374_182_400 }]
  }),
  error: CommonResponses.usual
})
  .annotate(Requires, "files:read")
  .annotate(OpenApi.Summary, "Storage used")
  .annotate(OpenApi.Description, "The bytes of the account's files, and its quota.")

const getStorage = Route.make(getStorageEndpoint, StorageQuota, function* (quota, _, { accountId }) {
  const { limit, used } = yield* quota.standing(accountId)
  return Answer.json(200, { usedBytes: used, maxBytes: limit })
})

/** `DELETE /files/{id}`: deletes a file. Its URL answers 410 from then on. Repeated, it answers 204 again. */
const deleteFileEndpoint = HttpApiEndpoint.delete("deleteFile", "/files/:fileId", {
  params: paramsOfFile,
  success: HttpApiSchema.NoContent.annotate({
    description: "The file is deleted, now or earlier."
  }),
  error: [...CommonResponses.usual, CommonResponses.notFound]
})
  .annotate(Requires, "files:write")
  .annotate(OpenApi.Summary, "Delete a file")
  .annotate(
    OpenApi.Description,
    "The file and its thumbnail cannot be read from then on: the URL answers 410."
  )

const deleteFile = Route.make(deleteFileEndpoint, AssetLibrary, function* (library, { params }, caller) {
  yield* library.remove({ caller, id: params.fileId })
  return Answer.empty(204, { "cache-control": "no-store" })
})

const routes = [listFiles, getStorage, getFile, deleteFile] as const

export class FilesApi extends HttpApiGroup.make("files")
  .add(...Route.endpointsOf(routes))
  .middleware(Authorization.Authorization)
  .annotate(ServedOn, ["platform"])
  .annotate(OpenApi.Title, "Files")
  .annotate(OpenApi.Description, "What the account has stored, and for how long.") {}

export const layer = DeclaredRoutes.layer(Authorization.admit, routes)
