/** What of usage is shown, in the URL. */
import { among, given, textOf } from "#console/app/SearchValues.ts"

export const ranges = ["24h", "7d", "30d", "90d", "12m"] as const
type Range = (typeof ranges)[number]

export const granularities = ["hour", "day", "month"] as const
type Granularity = (typeof granularities)[number]

const groupings = ["model", "key"] as const
const measures = ["cost", "requests"] as const
export const kinds = ["topup", "hold", "charge", "release", "revert"] as const

/** `type`: of billing events. */
export const parse = (search: Readonly<Record<string, unknown>>) =>
  given({
    range: among(ranges, search["range"]),
    by: among(granularities, search["by"]),
    group: among(groupings, search["group"]),
    measure: among(measures, search["measure"]),
    model: textOf(search["model"]),
    key: textOf(search["key"]),
    type: among(kinds, search["type"])
  })

export type UsageSearch = ReturnType<typeof parse>

const hour = 3_600_000
const day = 24 * hour

const lengths: Readonly<Record<Range, number>> = {
  "24h": day,
  "7d": 7 * day,
  "30d": 30 * day,
  "90d": 90 * day,
  "12m": 365 * day
}

/** The server answers at most 31 days by hour. */
export const granularityOf = ({ by, range = "30d" }: UsageSearch): Granularity => {
  const usual = range === "24h" ? "hour" : range === "12m" ? "month" : "day"
  return by === "hour" && lengths[range] > 30 * day ? usual : (by ?? usual)
}

export const rangeNames: Readonly<Record<Range, string>> = {
  "24h": "Last 24 hours",
  "7d": "Last 7 days",
  "30d": "Last 30 days",
  "90d": "Last 90 days",
  "12m": "Last 12 months"
}

/** The query of the server's route. The end is rounded, so that the answer can be kept for a minute. */
export const queryOf = (search: UsageSearch, now: number) => {
  const { group = "model", key, model, range = "30d" } = search
  const end = Math.ceil(now / 60_000) * 60_000
  return {
    start: new Date(end - lengths[range]).toISOString(),
    end: new Date(end).toISOString(),
    granularity: granularityOf(search),
    ...(group === "key" && { groupBy: "key" }),
    ...(model !== undefined && { modelEndpoint: model }),
    ...(key !== undefined && { keyId: key })
  }
}
