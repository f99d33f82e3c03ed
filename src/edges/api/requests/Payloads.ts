/** The stored input and output of a request. */
import { Effect } from "effect"
import type {
  PayloadTexts,
  Requests,
  Snapshot,
  StorageError,
  WantedPayloads
} from "#src/features/requests/Requests.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"

/** Fails when storage has lost or damaged a payload. */
export const read = (
  requests: Requests["Service"],
  snapshot: Snapshot,
  wanted?: WantedPayloads
): Effect.Effect<PayloadTexts, StorageError | ErrorAnswer.ErrorAnswer> =>
  Effect.catchTag(requests.payloadTexts(snapshot, wanted), "PayloadUnavailable", () =>
    Effect.fail(ErrorAnswer.payloadDamaged)
  )
