/** The files of an account: what it has brought, and the outputs of its requests (decisions, "Platform routes"). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { requestIdPattern } from "#domain/Ids.ts"
import { FileSource } from "#projections/files/FileItem.ts"
import { contentTypePattern } from "./FileFilter.ts"
import { usualLimit } from "#src/edges/http/requests/PageQuery.ts"
import * as FileView from "#src/features/files/views/FileView.ts"
import { Authorization } from "#src/edges/http/api/Authorization.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as ListParameters from "#src/edges/http/api/ListParameters.ts"
import { Requires, ServedOn } from "#src/edges/http/api/RouteAnnotations.ts"

const everywhere = [
  CommonResponses.badRequest,
  CommonResponses.unexpected,
  CommonResponses.unavailable
] as const

const params = { fileId: Schema.String.annotate({ description: "24 characters, as in the file's URL." }) }

const list = HttpApiEndpoint.get("listFiles", "/files", {
  query: {
    source: ListParameters.text("Brought by a client, or made by a request, only."),
    contentType: ListParameters.text(
      "Of this media type only, whatever its parameters, or of all of a kind: `image/*`."
    ),
    requestId: ListParameters.text("Outputs of this request only."),
    ...ListParameters.page
  },
  success: FileView.ListBody,
  error: everywhere
})
  .annotate(Requires, "files:read")
  .annotateMerge(
    OpenApi.annotations({
      identifier: "listFiles",
      summary: "List files",
      description:
        "Newest first, those too whose bytes have not come yet, but none that is deleted or has expired. Pages by number shift when files are added; those by `cursor` neither miss nor repeat one.",
      transform: ListParameters.withForms({
        ...ListParameters.pageForms(usualLimit),
        source: { enum: [...FileSource.literals] },
        contentType: { pattern: contentTypePattern.source },
        requestId: { pattern: requestIdPattern.source }
      })
    })
  )

const get = HttpApiEndpoint.get("getFileRecord", "/files/:fileId", {
  params,
  success: FileView.FileBody,
  error: [...everywhere, CommonResponses.notFound, CommonResponses.gone]
})
  .annotate(Requires, "files:read")
  .annotateMerge(
    OpenApi.annotations({
      identifier: "getFileRecord",
      summary: "One file",
      description: "What is known of it. Its bytes are at its `url`."
    })
  )

const remove = HttpApiEndpoint.delete("deleteFile", "/files/:fileId", {
  params,
  success: HttpApiSchema.NoContent.annotate({
    description: "It is deleted, or was before."
  }),
  error: [...everywhere, CommonResponses.notFound]
})
  .annotate(Requires, "files:write")
  .annotateMerge(
    OpenApi.annotations({
      identifier: "deleteFile",
      summary: "Delete a file",
      description: "Nobody gets a byte of it from then on, nor of its thumbnail: its URL answers 410."
    })
  )

export class FilesApi extends HttpApiGroup.make("files")
  .add(list, get, remove)
  .middleware(Authorization)
  .annotate(ServedOn, ["platform"])
  .annotateMerge(
    OpenApi.annotations({ title: "Files", description: "What the account has stored, and for how long." })
  ) {}
