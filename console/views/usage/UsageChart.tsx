/** The chart of charges, and the sums of its series. */
import { getRouteApi, Link } from "@tanstack/react-router"
import { useMemo } from "react"
import { TimeChart } from "#console/design/chart/TimeChart.tsx"
import { Money, moneyText } from "#console/design/data/Money.tsx"
import { type Column, Table } from "#console/design/data/Table.tsx"
import { amountOf } from "#console/design/data/Nanos.ts"
import * as Grouping from "./Grouping.ts"
import { useKeyNames } from "./KeyNames.ts"

const route = getRouteApi("/shell/account/usage")

const forms: Readonly<Record<Grouping.Usage["granularity"], Intl.DateTimeFormatOptions>> = {
  hour: { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" },
  day: { year: "numeric", month: "short", day: "numeric" },
  month: { year: "numeric", month: "long" }
}

const axisMoney = (value: number): string => (value === 0 ? "$0" : `$${Number(value.toPrecision(6))}`)
const axisCount = (value: number): string => (Number.isInteger(value) ? value.toLocaleString() : "")

export const UsageChart = ({ usage }: { readonly usage: Grouping.Usage }) => {
  const { group = "model", measure = "cost", ...search } = route.useSearch()
  const nameOf = useKeyNames()
  const grouped = useMemo(
    () => Grouping.of(usage, ({ keyId, modelEndpoint }) => (group === "key" ? (keyId ?? "") : modelEndpoint)),
    [usage, group]
  )
  const series = useMemo(
    () =>
      Grouping.seriesOf(grouped, measure, (id) =>
        id === "other" ? "Other" : group === "key" ? nameOf(id) : id
      ),
    [grouped, measure, group, nameOf]
  )
  const time = new Intl.DateTimeFormat(undefined, { ...forms[usage.granularity], timeZone: "UTC" })
  const textOf = ({ cost, requests }: Grouping.Sum) =>
    measure === "cost" ? moneyText(amountOf(cost)) : requests.toLocaleString()
  const { cost, requests } = usage.totals
  const columns: ReadonlyArray<Column<Grouping.Group>> = [
    {
      id: "name",
      header: group === "key" ? "Key" : "Model",
      cell: ({ id }) => {
        const label = id === "other" ? "Other" : group === "key" ? nameOf(id) : id
        const one = group === "key" ? { key: id } : { model: id }
        return id === "other" ? (
          label
        ) : (
          <Link to="/usage" search={{ ...search, measure, group: group === "key" ? "model" : "key", ...one }}>
            {label}
          </Link>
        )
      }
    },
    { id: "requests", header: "Requests", align: "end", cell: ({ requests }) => requests.toLocaleString() },
    { id: "cost", header: "Cost", align: "end", cell: ({ cost }) => <Money amount={amountOf(cost)} /> }
  ]
  return (
    <>
      <TimeChart
        kind="bars"
        isStacked
        zone="utc"
        label={`${measure === "cost" ? "Cost" : "Requests"} by ${usage.granularity} and ${group}`}
        summary={`${moneyText(cost)} for ${requests.toLocaleString()} requests in all.`}
        times={grouped.times}
        series={series}
        timeText={(at) => time.format(at)}
        valueText={(_, { id }, index) => {
          const sum = grouped.groups
            .find((one) => one.id === id)
            ?.buckets.get(grouped.times[index] ?? Number.NaN)
          return sum === undefined ? "–" : textOf(sum)
        }}
        totalText={(index) => textOf(grouped.totals[index] ?? { cost: 0n, requests: 0 })}
        axisText={measure === "cost" ? axisMoney : axisCount}
      />
      <Table caption={`Sums by ${group}`} columns={columns} rows={grouped.groups} rowKey={({ id }) => id} />
      <p>
        In all: <Money amount={cost} /> for {requests.toLocaleString()} requests.
      </p>
    </>
  )
}
