/** Calls as queries of TanStack Query: read once, shared by all views, and read again when they are invalidated. */
import { queryOptions, QueryClient } from "@tanstack/react-query"
import { ApiError } from "./ApiError.ts"
import { admin, call, type CallOptions } from "./Client.ts"
import type { AdminName, AdminPayload, Name } from "./Types.ts"

/** A wrong call stays wrong; an overload or an interruption passes. */
const isWorthRepeating = (failures: number, error: unknown): boolean =>
  failures < 2 &&
  error instanceof ApiError &&
  (error.status === 0 || error.status === 429 || error.status >= 500)

const longestPauseMs = 30_000

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: isWorthRepeating,
      retryDelay: (failures, error) =>
        Math.min(
          longestPauseMs,
          error instanceof ApiError && error.retryAfter !== null
            ? error.retryAfter * 1_000
            : 500 * 2 ** failures
        ),
      staleTime: 5_000,
      refetchOnWindowFocus: true
    }
  }
})

/** The key of all queries of an operation, to invalidate them: `invalidateQueries({ queryKey: keyOf("listKeys") })`. */
export const keyOf = (name: Name): ReadonlyArray<unknown> => ["api", name]
export const adminKeyOf = (name: AdminName): ReadonlyArray<unknown> => ["admin", name]

export const apiQuery = <N extends Name>(name: N, options: CallOptions<N>) =>
  queryOptions({
    queryKey: [...keyOf(name), options],
    queryFn: ({ signal }) => call(name, { ...options, signal })
  })

export const adminQuery = <N extends AdminName>(name: N, payload: AdminPayload<N>) =>
  queryOptions({
    queryKey: [...adminKeyOf(name), payload],
    queryFn: ({ signal }) => admin(name, payload, signal)
  })
