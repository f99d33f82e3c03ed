/** `GET /files`: a page of the account's files, newest first (decisions, "Platform routes"). */
import { Result, Schema } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import { essenceOf } from "#domain/file/ContentType.ts"
import { requestIdPattern } from "#domain/Ids.ts"
import { FileSource } from "#projections/files/FileItem.ts"
import type { Filter } from "#projections/files/FileFilter.ts"
import { AssetLibrary } from "#src/features/files/AssetLibrary.ts"
import * as FileView from "#src/features/files/views/FileView.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as ListParameters from "#src/edges/http/api/ListParameters.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { Requires } from "#src/edges/http/api/RouteAnnotations.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import * as PageQuery from "#src/edges/http/requests/PageQuery.ts"
import * as Parsed from "#src/edges/http/requests/Parsed.ts"
import * as QueryFields from "#src/edges/http/requests/QueryFields.ts"

/** A media type (RFC 9110, section 8.3), or all types of a kind: `image/*`. */
const contentTypePattern = /^[A-Za-z0-9!#$&^_.+-]{1,127}\/(?:\*|[A-Za-z0-9!#$&^_.+-]{1,127})(?:[\t ]*;.*)?$/

const endpoint = HttpApiEndpoint.get("listFiles", "/files", {
  query: {
    source: ListParameters.text("Only files uploaded by a client, or only outputs of requests.", {
      enum: [...FileSource.literals]
    }),
    contentType: ListParameters.text(
      "Only this media type, whatever its parameters, or all types of a kind: `image/*`.",
      { pattern: contentTypePattern.source }
    ),
    requestId: ListParameters.text("Only outputs of this request.", { pattern: requestIdPattern.source }),
    ...ListParameters.page
  },
  success: FileView.ListBody,
  error: CommonResponses.usual
})
  .annotate(Requires, "files:read")
  .annotate(OpenApi.Summary, "List files")
  .annotate(
    OpenApi.Description,
    "Newest first. Files whose bytes have not arrived yet are included; deleted and expired files are not. Pages by number shift when files are added; pages by `cursor` neither miss nor repeat one."
  )

export const parseFilter = (
  query: Omit<Route.Call<typeof endpoint>["query"], keyof PageQuery.PageQuery>
): Parsed.Parsed<Omit<Filter, "accountId">> =>
  Parsed.all({
    source: QueryFields.oneOf("source", FileSource.literals, query.source),
    contentType: parseContentType(query.contentType),
    requestId: QueryFields.requestId(query.requestId)
  })

/** The filter compares media types without their parameters. */
const parseContentType = (text: string | undefined): Parsed.Parsed<string | undefined> => {
  if (text === undefined) return Result.succeed(text)
  return contentTypePattern.test(text)
    ? Result.succeed(essenceOf(text))
    : Parsed.invalid(
        Parsed.issue(["contentType"], "pattern", "must be a media type such as image/png, or image/*")
      )
}

const paging = PageQuery.make(Schema.Struct({ createdAt: Schema.Int, fileId: Schema.String }))

export const listFiles = Route.make(endpoint, AssetLibrary, function* (library, { query }, caller) {
  const parts = { filter: parseFilter(query), page: paging.parse(query) }
  const { filter, page } = yield* ErrorAnswer.orInvalid(Parsed.all(parts))
  const found = yield* library.list({ caller, ...filter, ...page })
  return Answer.json(200, paging.body(page, found, FileView.record))
})
