/** The stored input and output of a request. */
import { Effect } from "effect"
import type {
  PayloadTexts,
  Requests,
  Snapshot,
  StorageError,
  WantedPayloads
} from "#src/features/requests/Requests.ts"
import * as Refusal from "#src/edges/http/Refusal.ts"

/** Fails when storage has lost or damaged a payload. */
export const read = (
  requests: Requests["Service"],
  snapshot: Snapshot,
  wanted?: WantedPayloads
): Effect.Effect<PayloadTexts, StorageError | Refusal.Refusal> =>
  Effect.catchTag(requests.payloadTexts(snapshot, wanted), "PayloadUnavailable", () =>
    Effect.fail(Refusal.payloadDamaged)
  )
