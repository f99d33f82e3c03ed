/** The query of an event stream: its filter and where it begins (decisions, "Server-sent events"). */
import { Result, Schema } from "effect"
import { RequestId, requestIdPattern } from "#domain/Ids.ts"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import { GlobalPosition } from "#streams/GlobalPosition.ts"
import * as Parsed from "#src/edges/http/requests/Parsed.ts"
import type { RequestHeaders } from "#src/edges/http/requests/RequestHeaders.ts"

export interface StreamQuery {
  readonly request_id?: string | ReadonlyArray<string> | undefined
  readonly modelEndpoint?: string | undefined
  readonly logs?: string | undefined
  readonly last_event_id?: string | undefined
}

export interface StreamOptions {
  /** `null`: all requests. */
  readonly requestIds: ReadonlySet<RequestId> | null
  readonly modelEndpoint: ModelEndpoint | null
  readonly withLogs: boolean
  /** `null`: from now on, after a snapshot. */
  readonly after: GlobalPosition | null
}

/** The most ids in one stream's filter. */
export const mostRequests = 100

const isModelEndpoint = Schema.is(ModelEndpoint)
const isPosition = Schema.is(GlobalPosition)

/** The header wins: a reconnecting browser repeats the URL with an older id. Empty means no id (HTML, 9.2.6). */
export const parse = (query: StreamQuery, headers: RequestHeaders): Parsed.Parsed<StreamOptions> => {
  const header = headers["last-event-id"]
  return Parsed.all({
    requestIds: parseIds(query.request_id),
    modelEndpoint: parseModel(query.modelEndpoint),
    withLogs: parseLogs(query.logs),
    after:
      header === undefined
        ? parsePosition("last_event_id", query.last_event_id)
        : parsePosition("last-event-id", header)
  })
}

const parseIds = (found: StreamQuery["request_id"]): Parsed.Parsed<ReadonlySet<RequestId> | null> => {
  if (found === undefined) return Result.succeed(null)
  const texts = typeof found === "string" ? [found] : found
  if (texts.length > mostRequests) {
    return Parsed.invalid(
      Parsed.issue(["request_id"], "maxItems", `must not name more than ${mostRequests} requests`)
    )
  }
  const malformed = texts.flatMap((text, index) =>
    requestIdPattern.test(text)
      ? []
      : [Parsed.issue(["request_id", index], "pattern", "must be 21 characters of A-Z, a-z, 0-9, _ and -")]
  )
  return malformed.length > 0
    ? Parsed.invalid(...malformed)
    : Result.succeed(new Set(texts.map((text) => RequestId.make(text))))
}

const parseModel = (text: string | undefined): Parsed.Parsed<ModelEndpoint | null> => {
  if (text === undefined) return Result.succeed(null)
  return isModelEndpoint(text)
    ? Result.succeed(text)
    : Parsed.invalid(Parsed.issue(["modelEndpoint"], "pattern", "must be a model's owner/name"))
}

const parseLogs = (text: string | undefined): Parsed.Parsed<boolean> =>
  text === undefined || text === "0" || text === "1"
    ? Result.succeed(text === "1")
    : Parsed.invalid(Parsed.issue(["logs"], "enum", "must be 0 or 1"))

const parsePosition = (name: string, text: string | undefined): Parsed.Parsed<GlobalPosition | null> => {
  if (text === undefined || text === "") return Result.succeed(null)
  return isPosition(text)
    ? Result.succeed(text)
    : Parsed.invalid(Parsed.issue([name], "pattern", "must be the id of an event, as it was given"))
}
