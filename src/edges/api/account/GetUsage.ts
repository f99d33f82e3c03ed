/** `GET /usage`: what was charged, by hour, day or month (decisions, "Platform routes"). */
import { Clock, Effect, Result } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import { day, endOf, Granularity, startOf } from "#domain/CalendarTime.ts"
import { KeyId } from "#domain/Ids.ts"
import type { UsageFilter } from "#projections/ledger/LedgerQueries.ts"
import { mostUsageRows, Statements } from "#src/features/billing/Statements.ts"
import * as UsageView from "#src/features/billing/views/UsageView.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as ListParameters from "#src/edges/http/api/ListParameters.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import * as Parsed from "#src/edges/http/requests/Parsed.ts"
import * as QueryFields from "#src/edges/http/requests/QueryFields.ts"

const defaultGranularity: Granularity = "day"

const defaultDays = 30

/** Days, at most: ten years have three leap days. */
const mostDays: Readonly<Record<Granularity, number>> = { hour: 31, day: 366, month: 3_653 }

const time = "A date-time with its offset, or a date (UTC)."

const groupings = ["key"] as const

const endpoint = HttpApiEndpoint.get("getUsage", "/usage", {
  query: {
    start: ListParameters.text(`${time} Default: ${defaultDays} days before \`end\`.`),
    end: ListParameters.text(`${time} Default: now.`),
    granularity: ListParameters.text("The length of a bucket.", {
      enum: [...Granularity.literals],
      default: defaultGranularity
    }),
    modelEndpoint: ListParameters.text("Only this model: `owner/name`."),
    keyId: ListParameters.text("Only requests submitted with this key."),
    groupBy: ListParameters.text("`key`: a row for each key, instead of one for all keys.", {
      enum: [...groupings]
    })
  },
  success: UsageView.UsageBody,
  error: CommonResponses.usual
})
  .annotate(OpenApi.Summary, "What was charged")
  .annotate(
    OpenApi.Description,
    [
      "By hour, day or month (UTC), model and unit. A request counts at the time when it is charged; failed and cancelled requests do not count.",
      `The range is extended to whole buckets. It is at most ${mostDays.hour} days by hour, ${mostDays.day} days by day and ten years by month.`
    ].join(" ")
  )

const rangeIssue = (name: string, message: string) => Parsed.issue([name], "range", message)

/** @param now Unix time in ms. The parsed range has whole buckets and excludes `end`. */
export const parse = (
  query: Route.Call<typeof endpoint>["query"],
  now: number
): Parsed.Parsed<Omit<UsageFilter, "accountId">> =>
  Result.flatMap(
    Parsed.all({
      start: parseTime("start", query.start),
      end: parseTime("end", query.end),
      granularity: QueryFields.oneOf("granularity", Granularity.literals, query.granularity),
      model: QueryFields.modelEndpoint(query.modelEndpoint),
      keyId: parseKeyId(query.keyId),
      groupBy: QueryFields.oneOf("groupBy", groupings, query.groupBy)
    }),
    ({ end = now, granularity = defaultGranularity, groupBy, start = end - defaultDays * day, ...rest }) => {
      const most = mostDays[granularity]
      if (start >= end) {
        return Parsed.invalid(
          rangeIssue("start", "start must be before end, which is now when it is not given")
        )
      }
      if (end - start > most * day) {
        return Parsed.invalid(
          rangeIssue("start", `start must be at most ${most} days before end by ${granularity}`)
        )
      }
      return Result.succeed({
        ...rest,
        byKey: groupBy === "key",
        granularity,
        start: startOf(granularity, start),
        end: endOf(granularity, end - 1)
      })
    }
  )

/** Every bucket has to end before the year 10000, which a date-time with a four-digit year cannot express. */
const latest = Date.UTC(9999, 0)

const parseTime = (name: string, text: string | undefined): Parsed.Parsed<number | undefined> =>
  Result.flatMap(QueryFields.dateTime(name, text), (at) =>
    at === undefined || (at >= 0 && at < latest)
      ? Result.succeed(at)
      : Parsed.invalid(rangeIssue(name, `${name} must be of the years 1970 to 9998`))
  )

const parseKeyId = (text: string | undefined): Parsed.Parsed<KeyId | undefined> => {
  if (text === undefined) return Result.succeed(text)
  return /^[\x21-\x7e]{1,255}$/.test(text)
    ? Result.succeed(KeyId.make(text))
    : Parsed.invalid(Parsed.issue(["keyId"], "pattern", "keyId must be the id of a key"))
}

const tooLarge = ErrorAnswer.invalid([
  rangeIssue(
    "start",
    `there are more than ${mostUsageRows} rows: ask for a shorter time, a coarser granularity or one model`
  )
])

export const getUsage = Route.make(endpoint, Statements, function* (statements, { query }, caller) {
  const filter = yield* ErrorAnswer.orInvalid(parse(query, yield* Clock.currentTimeMillis))
  const usage = yield* statements
    .usage({ caller, ...filter })
    .pipe(Effect.catchTag("UsageTooLarge", () => tooLarge))
  return Answer.json(200, UsageView.of(filter, usage))
})
