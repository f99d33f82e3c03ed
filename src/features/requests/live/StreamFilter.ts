/** Which changes a stream sends. */
import type { AccountId, RequestId } from "#domain/Ids.ts"
import type { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import type { StatusChange } from "#projections/live-status/LiveStatus.ts"

export interface StreamFilter {
  readonly accountId: AccountId
  /** `null`: all of them. */
  readonly requestIds: ReadonlySet<RequestId> | null
  /** `null`: every model. */
  readonly models: ReadonlyArray<ModelEndpoint> | null
}

export const matches = (
  { accountId, models, requestIds }: StreamFilter,
  change: Pick<StatusChange, "accountId" | "requestId" | "model">
): boolean =>
  change.accountId === accountId &&
  (requestIds === null || requestIds.has(change.requestId)) &&
  (models === null || models.includes(change.model))

/** Equal only for equal filters. */
export const keyOf = ({ models, requestIds }: StreamFilter): string =>
  JSON.stringify([requestIds && [...requestIds].sort(), models && [...models].sort()])
