/** The columns of the list of requests. */
import { consolePath } from "#console/api/Client.ts"
import { Duration } from "#console/design/data/Duration.tsx"
import { Money } from "#console/design/data/Money.tsx"
import { Time } from "#console/design/data/Time.tsx"
import type { LongColumn } from "#console/design/table/LongColumn.ts"
import { StatusBadge } from "../StatusBadge.tsx"
import classes from "./List.module.css"
import type { ListedRequest } from "./UseRequestPages.ts"

const Metadata = ({ metadata }: Pick<ListedRequest, "metadata">) => {
  const pairs = Object.entries(metadata).map(([key, value]) => `${key}=${value}`)
  return pairs.length === 0 ? null : (
    <span className={classes["metadata"]} title={pairs.join("\n")}>
      {pairs.join("  ")}
    </span>
  )
}

export const columns: ReadonlyArray<LongColumn<ListedRequest>> = [
  {
    id: "model",
    header: "Model",
    width: "minmax(10rem, 2fr)",
    isRowHeader: true,
    cell: ({ id, modelEndpoint }) => (
      // Not `Link`, of which hundreds are slow. The table opens it.
      <a href={`${consolePath}/requests/${id}`} tabIndex={-1} className={classes["model"]}>
        {modelEndpoint}
      </a>
    )
  },
  {
    id: "status",
    header: "Status",
    width: "8rem",
    cell: ({ outcome, status }) => <StatusBadge status={status} outcome={outcome} />
  },
  { id: "created", header: "Created", width: "9.5rem", cell: ({ createdAt }) => <Time at={createdAt} /> },
  {
    id: "wait",
    header: "Wait",
    width: "5.5rem",
    align: "end",
    isMinor: true,
    cell: ({ delayTime }) => <Duration ms={delayTime} />
  },
  {
    id: "run",
    header: "Run time",
    width: "5.5rem",
    align: "end",
    isMinor: true,
    cell: ({ inferenceTime }) => <Duration ms={inferenceTime} />
  },
  {
    id: "cost",
    header: "Cost",
    width: "7rem",
    align: "end",
    cell: ({ billingStatus, cost }) => <Money amount={billingStatus === null ? null : cost} />
  },
  {
    id: "metadata",
    header: "Metadata",
    width: "minmax(6rem, 3fr)",
    isMinor: true,
    cell: ({ metadata }) => <Metadata metadata={metadata} />
  }
]
