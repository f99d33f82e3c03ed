/** All accounts with their balances. */
import { useInfiniteQuery } from "@tanstack/react-query"
import { Link, useNavigate, useSearch } from "@tanstack/react-router"
import { useState } from "react"
import { admin } from "#console/api/Client.ts"
import { adminKeyOf } from "#console/api/Queries.ts"
import type { AdminAnswer } from "#console/api/Types.ts"
import { Button } from "#console/design/actions/Button.tsx"
import { Money } from "#console/design/data/Money.tsx"
import { type Column, Table } from "#console/design/data/Table.tsx"
import { Time } from "#console/design/data/Time.tsx"
import { Badge } from "#console/design/feedback/Badge.tsx"
import { EmptyState } from "#console/design/feedback/EmptyState.tsx"
import { ErrorState } from "#console/design/feedback/ErrorState.tsx"
import { Skeleton } from "#console/design/feedback/Skeleton.tsx"
import { TextField } from "#console/design/fields/TextField.tsx"
import { Page } from "#console/design/layout/Page.tsx"
import classes from "../Operate.module.css"
import { useRefusal } from "../parts/Role.ts"
import { OpenAccount } from "./OpenAccount.tsx"

type Account = AdminAnswer<"listAccounts">["data"][number]

const columns: ReadonlyArray<Column<Account>> = [
  {
    id: "name",
    header: "Account",
    cell: ({ accountId, name }) => (
      <Link to="/operate/accounts/$accountId" params={{ accountId }}>
        {name === "" ? accountId : name}
      </Link>
    )
  },
  { id: "id", header: "Id", cell: ({ accountId }) => <code>{accountId}</code> },
  { id: "balance", header: "Balance", align: "end", cell: ({ balance }) => <Money amount={balance} /> },
  { id: "held", header: "Held", align: "end", cell: ({ reserved }) => <Money amount={reserved} /> },
  {
    id: "available",
    header: "Available",
    align: "end",
    cell: ({ available }) => <Money amount={available} />
  },
  { id: "credit", header: "Credit", align: "end", cell: ({ creditLimit }) => <Money amount={creditLimit} /> },
  { id: "opened", header: "Opened", cell: ({ openedAt }) => <Time at={openedAt} /> },
  {
    id: "state",
    header: "State",
    cell: ({ erasedAt }) => (erasedAt === null ? <Badge kind="good">Open</Badge> : <Badge>Erased</Badge>)
  }
]

export const AccountsView = () => {
  const { q = "" } = useSearch({ from: "/shell/operate/area/accounts" })
  const navigate = useNavigate({ from: "/operate/accounts" })
  const refusal = useRefusal("operator")
  const [isOpen, setOpen] = useState(false)
  const query = useInfiniteQuery({
    queryKey: [...adminKeyOf("listAccounts"), "all"],
    queryFn: ({ pageParam, signal }) =>
      admin("listAccounts", pageParam === null ? {} : { after: pageParam }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next
  })
  const wanted = q.toLowerCase()
  const rows = (query.data?.pages ?? [])
    .flatMap(({ data }) => data)
    .filter(({ accountId, name }) => `${accountId} ${name}`.toLowerCase().includes(wanted))
  const [shown, setShown] = useState(200)
  return (
    <Page
      title="Accounts"
      actions={
        <Button kind="primary" refusal={refusal} onPress={() => setOpen(true)}>
          Open an account
        </Button>
      }
    >
      <div className={classes["filters"]}>
        <TextField
          label="Find by name or id"
          type="search"
          value={q}
          onChange={(text) => void navigate({ search: text === "" ? {} : { q: text }, replace: true })}
        />
      </div>
      {query.isError && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <Skeleton lines={6} />}
      {query.isSuccess && rows.length === 0 && (
        <EmptyState title={q === "" ? "There is no account yet" : "No account matches"} />
      )}
      {rows.length > 0 && (
        <Table
          caption="Accounts"
          columns={columns}
          rows={rows.slice(0, shown)}
          rowKey={({ accountId }) => accountId}
        />
      )}
      {(rows.length > shown || query.hasNextPage) && (
        <div>
          <Button
            isDisabled={query.isFetchingNextPage}
            onPress={() => {
              setShown(shown + 200)
              if (query.hasNextPage && rows.length <= shown + 200) void query.fetchNextPage()
            }}
          >
            Show more
          </Button>
        </div>
      )}
      <OpenAccount isOpen={isOpen} onClose={() => setOpen(false)} />
    </Page>
  )
}
