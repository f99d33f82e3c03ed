/**
 * The list of requests as of one moment, so that it stays where it is while others arrive. Any part of it can be read: pages
 * of 100 by their number, of requests that are not newer than the newest one of that moment.
 */
import { useQueries, useQuery, useQueryClient } from "@tanstack/react-query"
import { useCallback, useEffect, useState } from "react"
import { queryText, sendForJson } from "#console/api/Client.ts"
import type { AnswerOf } from "#console/api/Types.ts"
import { keyOf } from "#console/api/Queries.ts"
import type { Filter } from "./Filter.ts"

export type Page = AnswerOf<"listRequests">
export type ListedRequest = Page["data"][number]

const pageSize = 100

/** How long a page must be in sight before it is read, ms: a drag of the scroll bar passes many. */
const restMs = 80

/** How long a page that is out of sight is kept, ms. */
const keptMs = 60_000

type Query = Filter & { readonly page?: number; readonly limit: number }

const read = (query: Query, signal: AbortSignal): Promise<Page> =>
  sendForJson(`/api/requests${queryText({ ...query })}`, { signal }) as Promise<Page>

/** The millisecond after that time: `createdBefore` is exclusive. */
const after = (time: string) => new Date(Date.parse(time) + 1).toISOString()

const earlier = (one: string | undefined, other: string) =>
  one !== undefined && Date.parse(one) <= Date.parse(other) ? one : other

const headKey = (filter: Filter) => [...keyOf("listRequests"), "head", filter] as const
const pagesKey = [...keyOf("listRequests"), "page"] as const
const pageKey = (query: Query) => [...pagesKey, query] as const

const queryOf = (filter: Filter, newest: string | null, page: number): Query => ({
  ...filter,
  ...(newest !== null && { createdBefore: earlier(filter.createdBefore, after(newest)) }),
  page,
  limit: pageSize
})

const newestOf = (head: Page | undefined): string | null => head?.data[0]?.createdAt ?? null

/** How many requests that match are newer than the newest of the list. */
export const newerCount = async (
  filter: Filter,
  newest: string | null,
  signal: AbortSignal
): Promise<number> => {
  const since = newest === null ? {} : { createdAfter: newest }
  return (await read({ ...filter, ...since, limit: 1 }, signal)).total
}

export const useRequestPages = (filter: Filter) => {
  const client = useQueryClient()
  const head = useQuery({
    queryKey: headKey(filter),
    queryFn: async ({ signal }) => {
      const data = await read({ ...filter, limit: pageSize }, signal)
      // It is the first page as well, whose rows may be known from before.
      client.setQueryData(pageKey(queryOf(filter, newestOf(data), 1)), data)
      return data
    },
    staleTime: Infinity,
    // Events that came while another view was shown are not sent again.
    refetchOnMount: "always",
    refetchOnWindowFocus: false
  })
  const newest = newestOf(head.data)

  const [sight, setSight] = useState<readonly [first: number, last: number]>([1, 1])
  const [rested, setRested] = useState(sight)
  const onRows = useCallback((first: number, end: number) => {
    const next = [Math.floor(first / pageSize) + 1, Math.floor(Math.max(end - 1, 0) / pageSize) + 1] as const
    setSight((before) => (before[0] === next[0] && before[1] === next[1] ? before : next))
  }, [])
  useEffect(() => {
    const timer = setTimeout(() => setRested(sight), restMs)
    return () => clearTimeout(timer)
  }, [sight])

  const [first, last] = rested
  const numbers = Array.from({ length: last - first + 1 }, (_, index) => first + index)
  const pages = useQueries({
    queries: numbers.map((number) => {
      const query = queryOf(filter, newest, number)
      return {
        queryKey: pageKey(query),
        queryFn: ({ signal }: { readonly signal: AbortSignal }) => read(query, signal),
        staleTime: 10_000,
        gcTime: keptMs,
        refetchOnWindowFocus: false,
        enabled: newest !== null
      }
    })
  })

  const rowAt = (index: number): ListedRequest | undefined => {
    const number = Math.floor(index / pageSize) + 1
    const page = client.getQueryData<Page>(pageKey(queryOf(filter, newest, number)))
    return (page ?? (number === 1 ? head.data : undefined))?.data[index % pageSize]
  }

  const [current = head] = pages
    .filter(({ data }) => data !== undefined)
    .toSorted((a, b) => b.dataUpdatedAt - a.dataUpdatedAt)

  return {
    count: current.data?.total ?? 0,
    newest,
    isLoading: head.isPending,
    error: head.error ?? pages.find(({ error }) => error !== null)?.error ?? null,
    rowAt,
    onRows,
    /** Reads the list as of now. */
    renew: async () => {
      await head.refetch()
    },
    /** Reads the pages in sight again, as of the same moment. */
    reread: () => client.invalidateQueries({ queryKey: pagesKey }),
    /** Reads again what could not be read. */
    retry: () =>
      client.refetchQueries({
        queryKey: keyOf("listRequests"),
        type: "active",
        predicate: ({ state }) => state.status === "error"
      }),
    /** Shows what events say about requests that are in the list, by their ids, until their pages are read again. */
    change: (statuses: ReadonlyMap<string, ListedRequest["status"]>) => {
      const changed = (row: ListedRequest) => ({ ...row, status: statuses.get(row.id) ?? row.status })
      client.setQueriesData<Page>({ queryKey: keyOf("listRequests") }, (page) =>
        // `undefined` leaves the page alone, also its age.
        page?.data.some(({ id, status }) => (statuses.get(id) ?? status) !== status) === true
          ? { ...page, data: page.data.map(changed) }
          : undefined
      )
    }
  }
}
