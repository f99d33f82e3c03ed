/** Models and wrappers that match, page by page. */
import { useInfiniteQuery } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { call } from "#console/api/Client.ts"
import { keyOf } from "#console/api/Queries.ts"
import { Button } from "#console/design/actions/Button.tsx"
import { ErrorState } from "#console/design/feedback/ErrorState.tsx"
import { Skeleton } from "#console/design/feedback/Skeleton.tsx"
import { Section } from "#console/design/layout/Section.tsx"
import { Grid } from "#console/design/layout/Stack.tsx"
import type { CatalogSearch } from "./CatalogSearch.ts"
import { ModelCard } from "./ModelCard.tsx"

const pageSize = "24"

const useListed = (name: "listModels" | "listWrappers", { category, q, status }: CatalogSearch) =>
  useInfiniteQuery({
    queryKey: [...keyOf(name), "pages", { category, q, status }],
    queryFn: ({ pageParam, signal }) =>
      call(name, {
        query: {
          limit: pageSize,
          ...(q !== undefined && { search: q }),
          ...(category !== undefined && { category }),
          ...(status !== undefined && { status }),
          ...(pageParam !== null && { cursor: pageParam })
        },
        signal
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    placeholderData: (before) => before
  })

const Part = ({ list, title }: { readonly title: string; readonly list: ReturnType<typeof useListed> }) => {
  const rows = (list.data?.pages ?? []).flatMap(({ data }) => [...data])
  const total = list.data?.pages[0]?.total ?? rows.length
  if (rows.length === 0) return null
  return (
    <Section isPlain title={`${title} (${total.toLocaleString()})`}>
      <Grid>
        {rows.map((model) => (
          <ModelCard key={model.modelEndpoint} model={model} />
        ))}
      </Grid>
      {list.hasNextPage && (
        <div>
          <Button isDisabled={list.isFetchingNextPage} onPress={() => void list.fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
    </Section>
  )
}

export const ModelList = ({
  empty,
  search
}: {
  readonly search: CatalogSearch
  readonly empty: ReactNode
}) => {
  const models = useListed("listModels", search)
  const wrappers = useListed("listWrappers", search)
  const failed = [models, wrappers].find(({ isError }) => isError)
  if (failed !== undefined) return <ErrorState error={failed.error} onRetry={() => void failed.refetch()} />
  if (models.isPending || wrappers.isPending) return <Skeleton lines={8} />
  const isEmpty = [models, wrappers].every(({ data }) => (data?.pages[0]?.data.length ?? 0) === 0)
  if (isEmpty) return <>{empty}</>
  return (
    <>
      <Part title="Models" list={models} />
      <Part title="Wrappers" list={wrappers} />
    </>
  )
}
