/** Reads events with their payload records, to be copied together. */
import { Effect, Predicate } from "effect"
import type { PayloadRef } from "#domain/PayloadRef.ts"
import type { EventStoreError, Reading } from "../EventReader.ts"
import type { SealedPayload } from "../SealedPayload.ts"
import { hash } from "../Payload.ts"
import * as PayloadRefs from "../PayloadRefs.ts"
import type { RecordedEvent } from "../RecordedEvent.ts"
import { LogBroken } from "../Verify.ts"
import type { CopiedEvent } from "./LogTarget.ts"

/** The number of events whose records are read concurrently, because a server answers with a delay. */
const concurrency = 64

/** A blob's existence is not checked here but by verifying the copy. */
const isIntact = ({ content, hash: found, salt, size }: SealedPayload, ref: PayloadRef): boolean =>
  found === ref.hash &&
  size === ref.size &&
  (content._tag === "Blob" || hash(salt, content.text) === ref.hash)

/** In order. Erased records are left out. */
export const read = (
  source: Reading,
  events: ReadonlyArray<RecordedEvent>
): Effect.Effect<ReadonlyArray<CopiedEvent>, LogBroken | EventStoreError> => {
  const recordOf = Effect.fnUntraced(function* (event: RecordedEvent, [name, ref]: PayloadRefs.NamedRef) {
    const sealed = yield* source.payload(event.stream, name, ref.hash)
    if (sealed === null || isIntact(sealed, ref)) return sealed
    const reason = `the payload ${name} does not match its hash`
    return yield* new LogBroken({ position: event.position, reason })
  })
  return Effect.forEach(
    events,
    (event) => {
      const refs = PayloadRefs.of(event)
      if (refs.length === 0) return Effect.succeed({ event, payloads: [] })
      return Effect.map(
        Effect.forEach(refs, (ref) => recordOf(event, ref)),
        (records) => ({ event, payloads: records.filter(Predicate.isNotNull) })
      )
    },
    { concurrency }
  )
}
