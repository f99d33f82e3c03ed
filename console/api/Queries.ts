/** Calls as queries of TanStack Query: read once, shared by all views, and read again when they are invalidated. */
import { queryOptions, QueryClient } from "@tanstack/react-query"
import type { Json } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
import { ApiError } from "#clients/typescript/ApiError.ts"
import { mayPass } from "#clients/typescript/Attempts.ts"
import { UnreachableError } from "#clients/typescript/InferlogError.ts"
import { admin, call, type CallOptions } from "./Client.ts"
import type { AdminAnswer, AdminName, AdminPayload, AnswerOf, Name } from "./Types.ts"

/** A wrong call stays wrong; an overload or an interruption passes. */
const isWorthRepeating = (failures: number, error: unknown): boolean =>
  failures < 2 && (error instanceof UnreachableError || mayPass(error))

const longestPauseMs = 30_000

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: isWorthRepeating,
      retryDelay: (failures, error) =>
        Math.min(
          longestPauseMs,
          error instanceof ApiError && error.retryAfter !== null ? error.retryAfter : 500 * 2 ** failures
        ),
      staleTime: 5_000,
      refetchOnWindowFocus: true
    }
  }
})

/** The key of all queries of an operation, to invalidate them: `invalidateQueries({ queryKey: keyOf("listKeys") })`. */
export const keyOf = (name: Name): ReadonlyArray<unknown> => ["api", name]
export const adminKeyOf = (name: AdminName): ReadonlyArray<unknown> => ["admin", name]

const reading = <Answer>(queryKey: ReadonlyArray<unknown>, read: (signal: AbortSignal) => Promise<Answer>) =>
  queryOptions({ queryKey, queryFn: ({ signal }) => read(signal) })

/** Named, because the compiler would write out the types of all operations. */
type Reading<Answer> = ReturnType<typeof reading<Answer>>

/** Operations whose answers have payloads, which remember their texts. */
const exact: ReadonlySet<Name> = new Set(["getRequest", "getModel", "getModelSchema"])

/** The answer before, if the new one is the same. What TanStack Query does itself would copy answers without their texts. */
const sameOrNew = (before: unknown, answer: unknown): unknown =>
  before !== undefined && JsonText.write(before as Json) === JsonText.write(answer as Json) ? before : answer

export const apiQuery = <N extends Name>(name: N, options: CallOptions<N>): Reading<AnswerOf<N>> => {
  const query = reading([...keyOf(name), options], (signal) => call(name, { ...options, signal }))
  return exact.has(name) ? { ...query, structuralSharing: sameOrNew } : query
}

export const adminQuery = <N extends AdminName>(name: N, payload: AdminPayload<N>): Reading<AdminAnswer<N>> =>
  reading([...adminKeyOf(name), payload], (signal) => admin(name, payload, signal))
