/** The request that the filter of a list names, or that a delivery is of. */
import { Effect } from "effect"
import type { RequestId } from "#domain/Ids.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import type { RequestForbidden, Requests } from "./Requests.ts"

/** Fails for a request that the caller may not see. An unknown request passes and matches nothing, so that callers cannot probe for ids. */
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
