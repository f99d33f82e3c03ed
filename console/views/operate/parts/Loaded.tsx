/** What a query has read; before that a skeleton, or why it failed. */
import type { UseQueryResult } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { ErrorState } from "#console/design/feedback/ErrorState.tsx"
import { Skeleton } from "#console/design/feedback/Skeleton.tsx"
import { Stack } from "#console/design/layout/Stack.tsx"

export const Loaded = <Data,>({
  children,
  query
}: {
  readonly query: UseQueryResult<Data>
  readonly children: (data: Data) => ReactNode
}) => {
  const failed = query.isError && <ErrorState error={query.error} onRetry={() => void query.refetch()} />
  if (query.data === undefined) return failed || <Skeleton lines={6} />
  return (
    <Stack>
      {failed}
      {children(query.data)}
    </Stack>
  )
}
