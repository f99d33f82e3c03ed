/** A log in memory to write and to verify. */
import { it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { JsonObject } from "#domain/CanonicalJson.ts"
import type { BlobStore } from "#streams/BlobStore.ts"
import type { EventReader } from "#streams/EventReader.ts"
import { type Append, EventStore } from "#streams/EventStore.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import * as MemoryBlobStore from "#streams/MemoryBlobStore.ts"
import * as MemoryEventStore from "#streams/MemoryEventStore.ts"
import * as Payload from "#streams/Payload.ts"
import * as StreamName from "#streams/StreamName.ts"
import { eventData } from "#test/support/EventFixtures.ts"

const layer = Payload.Payloads.layer.pipe(
  Layer.provideMerge(Layer.merge(MemoryEventStore.layer, MemoryBlobStore.layer))
)

export const test = (
  name: string,
  body: Effect.Effect<void, unknown, Payload.Payloads | EventStore | EventReader | BlobStore>
) => it.effect(name, () => Effect.provide(body, layer))

export const stream = (id: string) => StreamName.make("Thing", id)

/** Appends one event. */
export const append = (
  id: string,
  eventId: string,
  data: JsonObject = {},
  { type = "Happened", ...rest }: Pick<Append, "payloads" | "erases"> & { readonly type?: string } = {}
) =>
  Effect.flatMap(EventStore, (store) =>
    store.append({
      stream: stream(id),
      expected: ExpectedVersion.Any,
      events: [eventData(eventId, type, data)],
      ...rest
    })
  )

/** Appends an event that names a payload of `bytes` bytes. */
export const appendPayload = Effect.fnUntraced(function* (id: string, bytes: number) {
  const payloads = yield* Payload.Payloads
  const json = "ä".repeat(bytes / 2)
  const sealed = yield* payloads.seal({
    owner: "acc_1",
    stream: stream(id),
    name: "input",
    text: JSON.stringify(json)
  })
  yield* append(id, `${id}-named`, { payloads: { input: Payload.refOf(sealed) } }, { payloads: [sealed] })
  return sealed
})
