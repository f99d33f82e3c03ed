/** What operators did: every change, and every reading of payloads. */
import { useInfiniteQuery } from "@tanstack/react-query"
import { getRouteApi, Link } from "@tanstack/react-router"
import { admin } from "#console/api/Client.ts"
import { adminKeyOf } from "#console/api/Queries.ts"
import type { AdminAnswer } from "#console/api/Types.ts"
import { Button } from "#console/design/actions/Button.tsx"
import { type Column, Table } from "#console/design/data/Table.tsx"
import { Time } from "#console/design/data/Time.tsx"
import { Badge, type BadgeKind } from "#console/design/feedback/Badge.tsx"
import { EmptyState } from "#console/design/feedback/EmptyState.tsx"
import { ErrorState } from "#console/design/feedback/ErrorState.tsx"
import { Skeleton } from "#console/design/feedback/Skeleton.tsx"
import { Grid, Stack } from "#console/design/layout/Stack.tsx"
import { AuditPage } from "../AuditPage.tsx"
import { FilterField } from "../FilterField.tsx"

export const ActionsView = () => (
  <AuditPage
    title="Actions of operators"
    lead="Each change, and each reading of payloads, was recorded on the log before it took effect."
  >
    {() => <Actions />}
  </AuditPage>
)

const route = getRouteApi("/shell/operate/audit/actions")

type Action = AdminAnswer<"listActions">["data"][number]

const limit = 100

const Actions = () => {
  const { action, operator } = route.useSearch()
  const navigate = route.useNavigate()
  const { data, error, fetchNextPage, hasNextPage, isFetchingNextPage, isPending, refetch } =
    useInfiniteQuery({
      queryKey: [...adminKeyOf("listActions"), operator, action],
      queryFn: ({ pageParam, signal }) =>
        admin(
          "listActions",
          {
            limit,
            ...(operator === undefined ? {} : { operatorId: operator }),
            ...(action === undefined ? {} : { action }),
            ...(pageParam === null ? {} : { after: pageParam })
          },
          signal
        ),
      initialPageParam: null as string | null,
      getNextPageParam: ({ next }) => next
    })
  const change = (search: { readonly operator?: string; readonly action?: string }) =>
    void navigate({ search, replace: true })
  const rows = data?.pages.flatMap((page) => page.data) ?? []
  return (
    <Stack>
      <Grid>
        <FilterField
          label="Operator"
          placeholder="op_…, oi_…, socket or local"
          value={operator ?? ""}
          onChange={(text) =>
            change({
              ...(text === "" ? {} : { operator: text }),
              ...(action === undefined ? {} : { action })
            })
          }
        />
        <FilterField
          label="Action"
          placeholder="createAccount"
          value={action ?? ""}
          onChange={(text) =>
            change({
              ...(operator === undefined ? {} : { operator }),
              ...(text === "" ? {} : { action: text })
            })
          }
        />
      </Grid>
      {isPending && <Skeleton lines={8} />}
      {error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
      {data !== undefined && rows.length === 0 && (
        <EmptyState title="No action matches">What operators change appears here.</EmptyState>
      )}
      {rows.length > 0 && (
        <Table
          caption="Actions of operators, newest first"
          columns={columns}
          rows={rows}
          rowKey={({ actionId }) => actionId}
        />
      )}
      {hasNextPage && (
        <div>
          <Button isDisabled={isFetchingNextPage} onPress={() => void fetchNextPage()}>
            {isFetchingNextPage ? "Loading" : "Load older actions"}
          </Button>
        </div>
      )}
    </Stack>
  )
}

const kinds: Readonly<Record<NonNullable<Action["result"]>, BadgeKind>> = {
  done: "good",
  refused: "warning",
  failed: "alarm"
}

/** `createAccount` → "Create account" */
const wordsOf = (action: string): string => {
  const words = action.replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const columns: ReadonlyArray<Column<Action>> = [
  {
    id: "action",
    header: "Action",
    cell: ({ action }) => (
      <Link to="/operate/audit/actions" search={{ action }}>
        {wordsOf(action)}
      </Link>
    )
  },
  {
    id: "operator",
    header: "Operator",
    cell: ({ operatorId, operatorName, role }) => (
      <span title={operatorId}>
        <Link to="/operate/audit/actions" search={{ operator: operatorId }}>
          {operatorName === "" ? operatorId : operatorName}
        </Link>{" "}
        <Badge>{role}</Badge>
      </span>
    )
  },
  {
    id: "targets",
    header: "Of what",
    cell: ({ made, targets }) =>
      Object.entries({ ...targets, ...made })
        .map(([name, value]) => `${name} ${value}`)
        .join(", ") || "–"
  },
  { id: "at", header: "Began", cell: ({ startedAt }) => <Time at={startedAt} /> },
  {
    id: "result",
    header: "Result",
    cell: ({ code, result }) => (
      <span title={code ?? undefined}>
        <Badge kind={result === null ? "info" : kinds[result]}>{result ?? "unknown"}</Badge>
        {code !== null && ` ${code}`}
      </span>
    )
  },
  { id: "call", header: "Request id of the call", cell: ({ callId }) => <code>{callId ?? "–"}</code> }
]
