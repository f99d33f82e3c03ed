/** The balance with holds and credit, and what this month has cost so far. */
import { useQuery } from "@tanstack/react-query"
import { apiQuery } from "#console/api/Queries.ts"
import { Sparkline } from "#console/design/chart/Sparkline.tsx"
import { Money, moneyText } from "#console/design/data/Money.tsx"
import { Time } from "#console/design/data/Time.tsx"
import { ErrorState } from "#console/design/feedback/ErrorState.tsx"
import { Skeleton } from "#console/design/feedback/Skeleton.tsx"
import { Stat } from "#console/design/layout/Stat.tsx"
import { amountOf } from "#console/design/data/Nanos.ts"
import * as Grouping from "./Grouping.ts"
import classes from "./Usage.module.css"

const monthStart = () => {
  const now = new Date()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth())).toISOString()
}

export const Balance = () => {
  const balance = useQuery(apiQuery("getBalance", {}))
  const month = useQuery(apiQuery("getUsage", { query: { start: monthStart(), granularity: "day" } }))
  if (balance.isError) return <ErrorState error={balance.error} onRetry={() => void balance.refetch()} />
  if (balance.data === undefined) return <Skeleton lines={2} label="Loading the balance" />
  const { available, balance: whole, creditLimit, reserved, updatedAt } = balance.data
  const days = month.data === undefined ? [] : Grouping.of(month.data, () => "all").totals
  return (
    <div className={classes["figures"]}>
      <Stat
        name="Available"
        value={<Money amount={available} />}
        note={
          creditLimit === "0" ? "Balance less holds" : `May go down to −${moneyText(creditLimit)} on credit`
        }
      />
      <Stat
        name="Balance"
        value={<Money amount={whole} />}
        note={
          updatedAt === null ? (
            "No entry yet"
          ) : (
            <>
              Last entry <Time at={updatedAt} form="relative" />
            </>
          )
        }
      />
      <Stat name="On hold" value={<Money amount={reserved} />} note="For requests that have not ended" />
      <Stat
        name="Charged this month"
        value={<Money amount={month.data?.totals.cost ?? null} />}
        note={month.data === undefined ? "" : `${month.data.totals.requests.toLocaleString()} requests`}
      >
        {days.length > 1 && (
          <Sparkline
            label={`Cost of each day of this month, ${moneyText(month.data?.totals.cost ?? "0")} in all`}
            values={days.map(({ cost }) => Number(amountOf(cost)))}
          />
        )}
      </Stat>
    </div>
  )
}
