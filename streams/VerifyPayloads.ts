/**
 * The payload half of `Verify`: compares events with payload records. A payload that exists although a later tombstone names
 * it is checked and counted like any other.
 */
import { Effect } from "effect"
import type { PayloadRef } from "#domain/PayloadRef.ts"
import type { BlobStoreError } from "./BlobStore.ts"
import { EventReader, type EventStoreError } from "./EventReader.ts"
import type { GlobalPosition } from "./GlobalPosition.ts"
import type { SealedPayload } from "./SealedPayload.ts"
import { hash, Payloads } from "./Payload.ts"
import * as PayloadRefs from "./PayloadRefs.ts"
import type { RecordedEvent } from "./RecordedEvent.ts"
import type { StreamName } from "./StreamName.ts"
import * as Tombstone from "./Tombstone.ts"

interface Problem {
  readonly position: GlobalPosition
  readonly reason: string
}

export interface VerifyPayloads {
  /** The first problem with the payloads of the events, or `null`. */
  readonly check: (
    events: ReadonlyArray<RecordedEvent>
  ) => Effect.Effect<Problem | null, EventStoreError | BlobStoreError>
  readonly counts: () => { readonly payloads: number; readonly erasedPayloads: number }
}

/** A payload record that was read ahead, or `undefined`. */
export type ReadAhead = (stream: StreamName, name: string) => SealedPayload | undefined

/** The number of concurrent lookups. On NATS, each lookup is a round trip. */
const concurrency = 32

type Found = "present" | "erased" | "lost" | "damaged"

export const make = Effect.fnUntraced(function* (
  readAhead: ReadAhead = () => undefined
): Effect.fn.Return<VerifyPayloads, never, EventReader | Payloads> {
  const reader = yield* EventReader
  const store = yield* Payloads
  let payloads = 0
  let erasedPayloads = 0

  // Compares ordinals, because events of one append may share a version.
  const hasTombstone = (event: RecordedEvent, name: string) =>
    Effect.map(reader.read(event.stream), (events) =>
      events.some((later) => later.ordinal > event.ordinal && Tombstone.erasedBy(later).includes(name))
    )

  /** Checks a payload in the log's own store here, and one in the blob store as every reader does. */
  const lookUp = Effect.fnUntraced(function* (event: RecordedEvent, name: string, ref: PayloadRef) {
    const sealed = yield* reader.payload(event.stream, name, ref.hash)
    if (sealed === null) return "erased"
    if (sealed.content._tag === "Inline") return isIntact(sealed, ref) ? "present" : "damaged"
    return yield* store.open(event.stream, name, ref).pipe(
      Effect.as<Found>("present"),
      Effect.catchTag("PayloadUnavailable", ({ reason }) => Effect.succeed(reason))
    )
  })

  const checkOne = Effect.fnUntraced(function* (event: RecordedEvent, name: string, ref: PayloadRef) {
    const found: Found = yield* lookUp(event, name, ref)
    if (found === "damaged") return `the payload ${name} does not match its hash`
    if (found === "present") {
      payloads++
      return null
    }
    if (!(yield* hasTombstone(event, name))) return `the payload ${name} is missing and was not erased`
    erasedPayloads++
    return null
  })

  /** Counts the payload if it was read ahead and is intact. */
  const checkReadAhead = (event: RecordedEvent, name: string, ref: PayloadRef): boolean => {
    const sealed = readAhead(event.stream, name)
    if (sealed === undefined || !isIntact(sealed, ref)) return false
    payloads++
    return true
  }

  /** The payloads that must be looked up. */
  const notReadAhead = (events: ReadonlyArray<RecordedEvent>) => {
    const left: Array<readonly [RecordedEvent, ...PayloadRefs.NamedRef]> = []
    for (const event of events) {
      for (const [name, ref] of PayloadRefs.of(event)) {
        if (!checkReadAhead(event, name, ref)) left.push([event, name, ref])
      }
    }
    return left
  }

  return {
    counts: () => ({ payloads, erasedPayloads }),
    check: Effect.fnUntraced(function* (events) {
      const problems = yield* Effect.forEach(
        notReadAhead(events),
        ([event, name, ref]) =>
          Effect.map(checkOne(event, name, ref), (reason) =>
            reason === null ? null : { position: event.position, reason }
          ),
        { concurrency }
      )
      return problems.find((problem) => problem !== null) ?? null
    })
  }
})

/** Whether the record is inline and the payload that the event names. */
const isIntact = (sealed: SealedPayload, ref: PayloadRef): boolean =>
  sealed.content._tag === "Inline" &&
  sealed.hash === ref.hash &&
  sealed.size === ref.size &&
  hash(sealed.salt, sealed.content.text) === ref.hash
