/** The query parameters that filter the list of requests (decisions, "History"). */
import { Result } from "effect"
import { Status } from "#domain/inference-request/Status.ts"
import type { Filter } from "#projections/history/HistoryFilter.ts"
import * as Parsed from "#src/edges/http/requests/Parsed.ts"
import * as QueryFields from "#src/edges/http/requests/QueryFields.ts"

export interface HistoryQuery {
  readonly status?: string | undefined
  readonly modelEndpoint?: string | undefined
  readonly createdAfter?: string | undefined
  readonly createdBefore?: string | undefined
}

export type HistoryFilter = Omit<Filter, "accountId" | "models">

export const mostMetadata = 4

/** @param url of the HTTP request; the client chooses the names of the `metadata.<key>` parameters. */
export const parse = (query: HistoryQuery, url: string): Parsed.Parsed<HistoryFilter> =>
  Parsed.all({
    status: QueryFields.oneOf("status", Status.literals, query.status),
    model: QueryFields.modelEndpoint(query.modelEndpoint),
    createdAfter: QueryFields.dateTime("createdAfter", query.createdAfter),
    createdBefore: QueryFields.dateTime("createdBefore", query.createdBefore),
    metadata: parseMetadata(url)
  })

const metadataPrefix = "metadata."

/** The issue's path leaves the key out, because the client chose it. */
const invalidMetadata = (code: string, message: string) =>
  Parsed.invalid(Parsed.issue(["metadata"], code, message))

const parseMetadata = (url: string): Parsed.Parsed<HistoryFilter["metadata"]> => {
  const start = url.indexOf("?")
  const all = start < 0 ? [] : [...new URLSearchParams(url.slice(start + 1))]
  // A misspelled filter must not match every request.
  if (all.some(([name]) => /^metadata/i.test(name) && !name.startsWith(metadataPrefix))) {
    return invalidMetadata("key", "must be given as metadata.<key>")
  }
  const entries = all.flatMap(([name, value]) =>
    name.startsWith(metadataPrefix) ? [[name.slice(metadataPrefix.length), value] as const] : []
  )
  if (entries.length === 0) return Result.succeed(undefined)
  if (entries.length > mostMetadata) {
    return invalidMetadata("maxProperties", `at most ${mostMetadata} keys can be given`)
  }
  const found = new Map(entries)
  if (found.has("")) return invalidMetadata("key", "a key must follow metadata.")
  if (found.size < entries.length) return invalidMetadata("unique", "each key can be given once")
  return Result.succeed(Object.fromEntries(found))
}
