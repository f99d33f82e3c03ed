/** The query of `GET /usage` (decisions, "Platform routes"): which time, in what pieces, and whose requests. */
import { Result, Schema } from "effect"
import { day, endOf, Granularity, startOf } from "#domain/CalendarTime.ts"
import { KeyId } from "#domain/Ids.ts"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import type { UsageFilter } from "#projections/ledger/LedgerQueries.ts"
import { invalid, issue, issues, type Parsed } from "./Parsed.ts"
import * as QueryFields from "./QueryFields.ts"

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
    model: parseModel(query.modelEndpoint),
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

/** A date is its midnight in UTC. */
const parseTime = (name: string, text: string | undefined): Parsed<number | undefined> =>
  QueryFields.dateTime(name, text?.replace(/^\d{4}-\d\d-\d\d$/, "$&T00:00:00Z"))

const isModel = Schema.is(ModelEndpoint)

const parseModel = (text: string | undefined): Parsed<ModelEndpoint | undefined> =>
  text === undefined || isModel(text)
    ? Result.succeed(text)
    : invalid(issue(["modelEndpoint"], "pattern", "modelEndpoint must be of the form owner/name"))

const parseKeyId = (text: string | undefined): Parsed<KeyId | undefined> => {
  if (text === undefined) return Result.succeed(text)
  return /^[\x21-\x7e]{1,255}$/.test(text)
    ? Result.succeed(KeyId.make(text))
    : invalid(issue(["keyId"], "pattern", "keyId must be the id of a key"))
}
