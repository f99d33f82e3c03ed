/** The requests of the account, newest first, as they happen. */
import { useNavigate, useSearch } from "@tanstack/react-router"
import { useCallback, useRef, useState } from "react"
import type { Connection } from "#console/api/Events.ts"
import { useShortcuts } from "#console/app/shortcuts/Registry.ts"
import { Button } from "#console/design/actions/Button.tsx"
import { LinkButton } from "#console/design/actions/LinkButton.tsx"
import { EmptyState } from "#console/design/feedback/EmptyState.tsx"
import { ErrorState } from "#console/design/feedback/ErrorState.tsx"
import { Skeleton } from "#console/design/feedback/Skeleton.tsx"
import { Page } from "#console/design/layout/Page.tsx"
import { LongTable, type LongTableHandle } from "#console/design/table/LongTable.tsx"
import { columns } from "./Columns.tsx"
import * as Filter from "./Filter.ts"
import { FilterBar } from "./FilterBar.tsx"
import classes from "./List.module.css"
import { useLiveList } from "./UseLiveList.ts"
import { type ListedRequest, useRequestPages } from "./UseRequestPages.ts"

const connections: Readonly<Record<Connection, string>> = {
  open: "● Live",
  connecting: "○ Connecting …",
  closed: "○ Not live. Load the page again."
}

export const RequestsView = () => {
  const filter = useSearch({ from: "/shell/account/requests" })
  const navigate = useNavigate()
  const change = (next: Filter.Filter) => void navigate({ to: "/requests", search: next })
  return (
    <Page title="Requests">
      <div className={classes["view"]}>
        <FilterBar filter={filter} onChange={change} />
        {/* Another filter is another list. */}
        <List key={JSON.stringify(filter)} filter={filter} />
      </div>
    </Page>
  )
}

const List = ({ filter }: { readonly filter: Filter.Filter }) => {
  const navigate = useNavigate()
  const [isAtTop, setAtTop] = useState(true)
  const [chosen, setChosen] = useState(-1)
  const table = useRef<LongTableHandle>(null)
  const pages = useRequestPages(filter)
  // A reader who has chosen a row further down stays there.
  const { connection, newer, show } = useLiveList(filter, pages, isAtTop && chosen < 1)
  const open = useCallback(
    ({ id }: ListedRequest) => void navigate({ to: "/requests/$requestId", params: { requestId: id } }),
    [navigate]
  )
  useShortcuts("Requests", [
    { keys: "j", label: "Choose the next request", run: () => table.current?.move(1) },
    { keys: "k", label: "Choose the previous request", run: () => table.current?.move(-1) }
  ])
  const showNewer = () => {
    setChosen(-1)
    void show().then(() => table.current?.toTop())
  }

  if (pages.isLoading) return <Skeleton lines={8} label="Loading requests" />
  if (pages.error !== null && pages.count === 0) {
    return <ErrorState error={pages.error} onRetry={() => void pages.renew()} />
  }
  if (pages.count === 0) return <Nothing isFiltered={Filter.countOf(filter) > 0} />
  return (
    <>
      <div className={classes["list"]}>
        {newer > 0 && (
          <div className={classes["newer"]}>
            <Button kind="primary" size="small" onPress={showNewer}>
              ↑ {newer.toLocaleString()} new
            </Button>
          </div>
        )}
        <LongTable
          ref={table}
          caption="Requests"
          columns={columns}
          count={pages.count}
          rowAt={pages.rowAt}
          rowKey={({ id }) => id}
          onOpen={open}
          onRows={pages.onRows}
          onTop={setAtTop}
          chosen={chosen}
          onChoose={setChosen}
        />
      </div>
      {pages.error !== null && <ErrorState error={pages.error} onRetry={() => void pages.retry()} />}
      <div className={classes["foot"]}>
        <span>{pages.count === 1 ? "1 request" : `${pages.count.toLocaleString()} requests`}</span>
        <span role="status">{connections[connection]}</span>
      </div>
    </>
  )
}

const Nothing = ({ isFiltered }: { readonly isFiltered: boolean }) =>
  isFiltered ? (
    <EmptyState title="No request matches">
      Change or clear the filters. New ones that match appear here.
    </EmptyState>
  ) : (
    <EmptyState title="No requests yet" action={<LinkButton to="/models">Choose a model</LinkButton>}>
      Run a model in its playground or call it with a key. Each request appears here as it happens.
    </EmptyState>
  )
