/** Archived segments as the projections' thread reads them: from folders by itself, all others by asking the server's thread. */
import type { MessagePort } from "node:worker_threads"
import { Effect, Option, Schema } from "effect"
import { folders, type SegmentBytes } from "#streams/archive/SegmentSource.ts"
import { EventStoreError } from "#streams/EventReader.ts"
import { SegmentAnswer, type SegmentWanted } from "./Protocol.ts"

type Resume = (answer: SegmentAnswer) => void

const decode = Schema.decodeUnknownOption(SegmentAnswer)

export const make = (port: MessagePort): SegmentBytes => {
  const waiting = new Map<number, Resume>()
  let last = 0
  port.on("message", (message) => {
    const answer = Option.getOrNull(decode(message))
    if (answer === null) return
    waiting.get(answer.id)?.(answer)
    waiting.delete(answer.id)
  })

  const ask: SegmentBytes["read"] = (place, range) =>
    Effect.callback<Uint8Array, EventStoreError>((resume) => {
      const id = ++last
      waiting.set(id, ({ bytes, reason }) =>
        resume(
          bytes === null
            ? Effect.fail(new EventStoreError({ reason, segment: place.key }))
            : Effect.succeed(bytes)
        )
      )
      const { key, location } = place
      port.postMessage({
        _tag: "SegmentWanted",
        id,
        place: { key, location },
        range: range ?? null
      } satisfies SegmentWanted)
      return Effect.sync(() => waiting.delete(id))
    })

  return {
    read: (place, range) =>
      place.location.startsWith("file:") ? folders.read(place, range) : ask(place, range)
  }
}
