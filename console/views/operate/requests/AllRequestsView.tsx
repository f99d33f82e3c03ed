/** The requests of all accounts, newest first. */
import { useInfiniteQuery } from "@tanstack/react-query"
import { Link, useNavigate, useSearch } from "@tanstack/react-router"
import { type FormEvent, useCallback, useState } from "react"
import { admin } from "#console/api/Client.ts"
import { adminKeyOf } from "#console/api/Queries.ts"
import type { AdminAnswer, AdminPayload } from "#console/api/Types.ts"
import { Button } from "#console/design/actions/Button.tsx"
import { Duration } from "#console/design/data/Duration.tsx"
import { Money } from "#console/design/data/Money.tsx"
import { Time } from "#console/design/data/Time.tsx"
import { EmptyState } from "#console/design/feedback/EmptyState.tsx"
import { ErrorState } from "#console/design/feedback/ErrorState.tsx"
import { Skeleton } from "#console/design/feedback/Skeleton.tsx"
import { Select } from "#console/design/fields/Select.tsx"
import { TextField } from "#console/design/fields/TextField.tsx"
import { Page } from "#console/design/layout/Page.tsx"
import type { LongColumn } from "#console/design/table/LongColumn.ts"
import { LongTable } from "#console/design/table/LongTable.tsx"
import { StatusBadge, statusWord } from "#console/views/requests/StatusBadge.tsx"
import classes from "../Operate.module.css"
import { type Status, statuses } from "../Search.ts"

type Item = AdminAnswer<"listRequests">["data"][number]

const pageSize = 200

const columns: ReadonlyArray<LongColumn<Item>> = [
  {
    id: "created",
    header: "Created",
    width: "11rem",
    cell: ({ createdAt }) => <Time at={createdAt} />
  },
  {
    id: "model",
    header: "Model",
    width: "minmax(8rem, 1fr)",
    isRowHeader: true,
    cell: ({ model, requestId }) => (
      <Link to="/operate/requests/$requestId" params={{ requestId }} tabIndex={-1}>
        {model}
      </Link>
    )
  },
  {
    id: "status",
    header: "Status",
    width: "9rem",
    cell: ({ outcome, status }) => <StatusBadge status={status} outcome={outcome} />
  },
  {
    id: "account",
    header: "Account",
    width: "13rem",
    isMinor: true,
    cell: ({ accountId }) => <code>{accountId}</code>
  },
  {
    id: "took",
    header: "Run",
    width: "6rem",
    align: "end",
    isMinor: true,
    cell: ({ inferenceMs }) => <Duration ms={inferenceMs} />
  },
  {
    id: "cost",
    header: "Cost",
    width: "7rem",
    align: "end",
    isMinor: true,
    cell: ({ amount }) => <Money amount={amount} />
  }
]

type Filter = ReturnType<typeof useFilter>
const useFilter = () => useSearch({ from: "/shell/operate/area/requests" })

const payloadOf = ({ account, model, status }: Filter, after: string | null): AdminPayload<"listRequests"> =>
  ({
    limit: pageSize,
    ...(account !== undefined && { accountId: account }),
    ...(model !== undefined && { model }),
    ...(status !== undefined && { status }),
    ...(after !== null && { after })
  }) as unknown as AdminPayload<"listRequests">

const List = ({ filter }: { readonly filter: Filter }) => {
  const navigate = useNavigate()
  const [chosen, setChosen] = useState(-1)
  const query = useInfiniteQuery({
    queryKey: [...adminKeyOf("listRequests"), "all", filter],
    queryFn: ({ pageParam, signal }) => admin("listRequests", payloadOf(filter, pageParam), signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next
  })
  const rows = (query.data?.pages ?? []).flatMap(({ data }) => data)
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = query
  const { length } = rows
  const onRows = useCallback(
    (_: number, end: number) => {
      if (end > length - 20 && hasNextPage && !isFetchingNextPage) void fetchNextPage()
    },
    [length, hasNextPage, isFetchingNextPage, fetchNextPage]
  )
  if (query.isError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />
  if (query.isPending) return <Skeleton lines={8} label="Loading requests" />
  if (length === 0) return <EmptyState title="No request matches" />
  return (
    <>
      <div className={classes["bar"]}>
        <Button size="small" onPress={() => void query.refetch()}>
          Read again
        </Button>
        <span className={classes["quiet"]}>
          {length.toLocaleString()}
          {hasNextPage ? " read, more as you scroll" : " in total"}
        </span>
      </div>
      <LongTable
        caption="Requests of all accounts"
        columns={columns}
        count={length}
        rowAt={(index) => rows[index]}
        rowKey={({ requestId }) => requestId}
        onOpen={({ requestId }) =>
          void navigate({ to: "/operate/requests/$requestId", params: { requestId } })
        }
        onRows={onRows}
        chosen={chosen}
        onChoose={setChosen}
      />
    </>
  )
}

const choices = [
  { value: "all", label: "All" },
  ...statuses.map((value) => ({ value, label: statusWord(value) }))
] as const

export const AllRequestsView = () => {
  const filter = useFilter()
  const navigate = useNavigate({ from: "/operate/requests" })
  const [account, setAccount] = useState(filter.account ?? "")
  const [model, setModel] = useState(filter.model ?? "")
  const [status, setStatus] = useState<Status | "all">(filter.status ?? "all")
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void navigate({
      search: {
        ...(account.trim() !== "" && { account: account.trim() }),
        ...(model.trim() !== "" && { model: model.trim() }),
        ...(status !== "all" && { status })
      }
    })
  }
  return (
    <Page title="Requests of all accounts" lead="Without inputs and outputs.">
      <form className={classes["filters"]} onSubmit={submit}>
        <TextField label="Account id" value={account} onChange={setAccount} isMono />
        <TextField label="Model" value={model} onChange={setModel} isMono />
        <Select<Status | "all"> label="Status" value={status} choices={choices} onChange={setStatus} />
        <Button type="submit">Filter</Button>
      </form>
      <List key={JSON.stringify(filter)} filter={filter} />
    </Page>
  )
}
