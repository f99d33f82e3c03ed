/** The query of `GET /usage` (decisions, "Platform routes"): which time, in what pieces, and whose requests. */
import { Result } from "effect"
import { day, endOf, Granularity, startOf } from "#domain/CalendarTime.ts"
import { KeyId } from "#domain/Ids.ts"
import type { UsageFilter } from "#projections/ledger/LedgerQueries.ts"
import { invalid, issue, issues, type Parsed } from "#src/edges/http/requests/Parsed.ts"
import * as QueryFields from "#src/edges/http/requests/QueryFields.ts"

export interface UsageQuery {
  readonly start?: string | undefined
  readonly end?: string | undefined
  readonly granularity?: string | undefined
  readonly modelEndpoint?: string | undefined
  readonly keyId?: string | undefined
}

export const usualGranularity: Granularity = "day"

/** How far before its end a time begins of which nobody says it, days. */
const usualDays = 30

/** Days, at most: ten years have three leap days. */
export const mostDays: Readonly<Record<Granularity, number>> = { hour: 31, day: 366, month: 3_653 }

/** @param now Unix time in ms. The time that comes of it is of whole buckets, `end` not included. */
export const parse = (query: UsageQuery, now: number): Parsed<Omit<UsageFilter, "accountId">> => {
  const parts = {
    start: parseTime("start", query.start),
    end: parseTime("end", query.end),
    granularity: QueryFields.oneOf("granularity", Granularity.literals, query.granularity),
    model: QueryFields.modelEndpoint(query.modelEndpoint),
    keyId: parseKeyId(query.keyId)
  }
  return Result.all(parts).pipe(
    Result.mapError(() => issues(parts)),
    Result.flatMap(
      ({ end = now, granularity = usualGranularity, keyId, model, start = end - usualDays * day }) =>
        Result.map(wholeBuckets(granularity, start, end), (time) => ({
          ...time,
          granularity,
          ...(model !== undefined && { model }),
          ...(keyId !== undefined && { keyId })
        }))
    )
  )
}

const wholeBuckets = (
  granularity: Granularity,
  start: number,
  end: number
): Parsed<Pick<UsageFilter, "start" | "end">> => {
  if (start >= end) {
    return invalid(issue(["start"], "range", "start must be before end, which is now when it is not given"))
  }
  const most = mostDays[granularity]
  if (end - start > most * day) {
    return invalid(
      issue(["start"], "range", `start must be at most ${most} days before end by ${granularity}`)
    )
  }
  return Result.succeed({ start: startOf(granularity, start), end: endOf(granularity, end - 1) })
}

/** Whatever bucket a time is in: it ends before the year 10000, which no date-time of four digits has. */
const latest = Date.UTC(9999, 0)

const parseTime = (name: string, text: string | undefined): Parsed<number | undefined> =>
  Result.flatMap(QueryFields.dateTime(name, text), (at) =>
    at === undefined || (at >= 0 && at < latest)
      ? Result.succeed(at)
      : invalid(issue([name], "range", `${name} must be of the years 1970 to 9998`))
  )

const parseKeyId = (text: string | undefined): Parsed<KeyId | undefined> => {
  if (text === undefined) return Result.succeed(text)
  return /^[\x21-\x7e]{1,255}$/.test(text)
    ? Result.succeed(KeyId.make(text))
    : invalid(issue(["keyId"], "pattern", "keyId must be the id of a key"))
}
