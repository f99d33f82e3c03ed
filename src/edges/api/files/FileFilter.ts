/** The query parameters that choose among an account's files (decisions, "Platform routes"). */
import { essenceOf } from "#domain/file/ContentType.ts"
import { Result } from "effect"
import { FileSource } from "#projections/files/FileItem.ts"
import type { Filter } from "#projections/files/Files.ts"
import { invalid, issue, issues, type Parsed } from "#src/edges/http/requests/Parsed.ts"
import * as QueryFields from "#src/edges/http/requests/QueryFields.ts"

export interface FileQuery {
  readonly source?: string | undefined
  readonly contentType?: string | undefined
  readonly requestId?: string | undefined
}

export const parse = (query: FileQuery): Parsed<Omit<Filter, "accountId">> => {
  const parts = {
    source: QueryFields.oneOf("source", FileSource.literals, query.source),
    contentType: parseContentType(query.contentType),
    requestId: QueryFields.requestId(query.requestId)
  }
  return Result.all(parts).pipe(
    Result.map(({ contentType, requestId, source }) => ({
      ...(source !== undefined && { source }),
      ...(contentType !== undefined && { contentType }),
      ...(requestId !== undefined && { requestId })
    })),
    Result.mapError(() => issues(parts))
  )
}

/** RFC 9110, section 8.3; or all of a kind. */
export const contentTypePattern =
  /^[A-Za-z0-9!#$&^_.+-]{1,127}\/(?:\*|[A-Za-z0-9!#$&^_.+-]{1,127})(?:[\t ]*;.*)?$/

/** Files are told apart by their type without its parameters. */
const parseContentType = (text: string | undefined): Parsed<string | undefined> => {
  if (text === undefined) return Result.succeed(text)
  return contentTypePattern.test(text)
    ? Result.succeed(essenceOf(text))
    : invalid(issue(["contentType"], "pattern", "must be a media type such as image/png, or image/*"))
}
