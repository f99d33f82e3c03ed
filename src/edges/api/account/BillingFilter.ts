/** The query parameters that choose among an account's billing events (decisions, "Platform routes"). */
import { Result } from "effect"
import { type Filter, kinds } from "#projections/ledger/LedgerQueries.ts"
import { issues, type Parsed } from "#src/edges/http/requests/Parsed.ts"
import * as QueryFields from "#src/edges/http/requests/QueryFields.ts"

export interface BillingQuery {
  readonly requestId?: string | undefined
  readonly type?: string | undefined
}

export const parse = (query: BillingQuery): Parsed<Omit<Filter, "accountId">> => {
  const parts = {
    requestId: QueryFields.requestId(query.requestId),
    kind: QueryFields.oneOf("type", kinds, query.type)
  }
  return Result.all(parts).pipe(
    Result.map(({ kind, requestId }) => ({
      ...(requestId !== undefined && { requestId }),
      ...(kind !== undefined && { kind })
    })),
    Result.mapError(() => issues(parts))
  )
}
