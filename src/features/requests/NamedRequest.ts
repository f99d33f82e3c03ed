/** The request that the filter of a list names. */
import { Effect } from "effect"
import type { RequestId } from "#domain/Ids.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import type { RequestForbidden, Requests } from "./Requests.ts"

/** Fails for one that the caller may not see. Nobody's request is nobody's secret: of it the list is empty. */
export const check = (
  requests: Requests["Service"],
  caller: Caller,
  requestId: RequestId | undefined
): Effect.Effect<void, RequestForbidden | EventStoreError> =>
  requestId === undefined
    ? Effect.void
    : requests.get({ caller, id: requestId }).pipe(
        Effect.asVoid,
        Effect.catchTag("RequestNotFound", () => Effect.void)
      )
