/** Input and output of a request, as far as they are still there. */
import { Effect } from "effect"
import type {
  PayloadTexts,
  Requests,
  Snapshot,
  StorageError,
  WantedPayloads
} from "#src/requests/Requests.ts"

/** A payload that is not what its event says of it is corrupt storage, and nobody's mistake but ours. */
export const read = (
  requests: Requests["Service"],
  snapshot: Snapshot,
  wanted?: WantedPayloads
): Effect.Effect<PayloadTexts, StorageError> =>
  Effect.catchTag(requests.payloadTexts(snapshot, wanted), "PayloadUnavailable", Effect.die)
