/** The payload half of `Verify`: what an event says of its payloads against the payload records. */
import { Effect, Option, Schema } from "effect"
import { PayloadRef } from "#domain/PayloadRef.ts"
import type { BlobStoreError } from "./BlobStore.ts"
import { EventReader, type EventStoreError } from "./EventReader.ts"
import { Payloads } from "./Payload.ts"
import type { RecordedEvent } from "./RecordedEvent.ts"

const WithPayloads = Schema.Struct({ payloads: Schema.Record(Schema.String, PayloadRef) })
const decodeWithPayloads = Schema.decodeUnknownOption(WithPayloads)

/** The event that says which payloads of its stream were erased on purpose. */
const Tombstone = Schema.Struct({ erased: Schema.Array(Schema.String) })
const decodeTombstone = Schema.decodeUnknownOption(Tombstone)
const tombstoneType = "PayloadsErased"

export interface VerifyPayloads {
  /** What is wrong with the payloads that `event` names, or `null`. */
  readonly check: (event: RecordedEvent) => Effect.Effect<string | null, EventStoreError | BlobStoreError>
  readonly counts: () => { readonly payloads: number; readonly erasedPayloads: number }
}

export const make: Effect.Effect<VerifyPayloads, never, EventReader | Payloads> = Effect.gen(function* () {
  const reader = yield* EventReader
  const store = yield* Payloads
  let payloads = 0
  let erasedPayloads = 0

  const hasTombstone = (event: RecordedEvent, name: string) =>
    Effect.map(reader.read(event.stream, event.version), (later) =>
      later.some(
        (candidate) =>
          candidate.type === tombstoneType &&
          Option.exists(decodeTombstone(candidate.data), ({ erased }) => erased.includes(name))
      )
    )

  const checkOne = Effect.fnUntraced(function* (event: RecordedEvent, name: string, ref: PayloadRef) {
    const found = yield* store.open(event.stream, name, ref).pipe(
      Effect.as("present" as const),
      Effect.catchTag("PayloadUnavailable", ({ reason }) => Effect.succeed(reason))
    )
    if (found === "damaged") return `the payload ${name} does not match its hash`
    if (found === "present") {
      payloads++
      return null
    }
    if (!(yield* hasTombstone(event, name))) return `the payload ${name} is missing and was not erased`
    erasedPayloads++
    return null
  })

  return {
    counts: () => ({ payloads, erasedPayloads }),
    check: Effect.fnUntraced(function* (event) {
      if (!event.text.includes('"payloads":')) return null
      const refs = Option.map(decodeWithPayloads(event.data), (data) => Object.entries(data.payloads))
      for (const [name, ref] of Option.getOrElse(refs, () => [])) {
        const problem = yield* checkOne(event, name, ref)
        if (problem !== null) return problem
      }
      return null
    })
  }
})
