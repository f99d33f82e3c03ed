/** The log in memory for tests, with the same contract. It ends with its scope. */
import { Context, Effect, Layer } from "effect"
import * as CanonicalJson from "#domain/CanonicalJson.ts"
import * as EventChain from "./EventChain.ts"
import { EventReader } from "./EventReader.ts"
import { type Append, type Appended, EventStore, sendBy, WrongExpectedVersion } from "./EventStore.ts"
import { trustedVersion } from "./ExpectedVersion.ts"
import * as Following from "./Following.ts"
import * as GlobalPosition from "./GlobalPosition.ts"
import * as HeadSignal from "./HeadSignal.ts"
import type { SealedPayload } from "./SealedPayload.ts"
import { RecordedEvent } from "./RecordedEvent.ts"

const pageSize = 512

const make = Effect.sync(() => {
  const log: Array<RecordedEvent> = []
  const streams = new Map<string, Array<RecordedEvent>>()
  const payloads = new Map<string, SealedPayload>()
  const signal = HeadSignal.make(GlobalPosition.beginning)
  const positionOf = (count: number) => GlobalPosition.trusted(String(count))

  const write = (
    { stream, events, payloads: sealed, erases }: Append,
    recorded: Array<RecordedEvent>
  ): Appended => {
    const start = log.length
    for (const { id, type, time, data } of events) {
      const ordinal = recorded.length
      const text = CanonicalJson.stringify(data)
      const link = { stream, ordinal, id, type, time, text }
      const event = new RecordedEvent({
        ...link,
        position: positionOf(log.length + 1),
        version: trustedVersion(String(ordinal)),
        hash: EventChain.hash(recorded.at(-1)?.hash ?? EventChain.origin, link)
      })
      log.push(event)
      recorded.push(event)
    }
    streams.set(stream, recorded)
    for (const payload of sealed ?? []) payloads.set(`${stream}/${payload.name}`, payload)
    for (const name of erases ?? []) payloads.delete(`${stream}/${name}`)
    signal.publish(positionOf(log.length), log.slice(start))
    return { version: trustedVersion(String(recorded.length - 1)), position: positionOf(log.length) }
  }

  const append = (append: Append): Effect.Effect<Appended, WrongExpectedVersion> =>
    Effect.suspend(() => {
      const recorded = streams.get(append.stream) ?? []
      const { expected } = append
      const matches =
        expected._tag === "Any" ||
        (expected._tag === "NoStream" ? recorded.length === 0 : recorded.at(-1)?.version === expected.version)
      return matches
        ? Effect.succeed(write(append, recorded))
        : Effect.fail(new WrongExpectedVersion({ stream: append.stream }))
    })

  return EventStore.of({
    append,
    send: sendBy(append),
    read: (stream, after) =>
      Effect.sync(() => (streams.get(stream) ?? []).slice(after === undefined ? 0 : Number(after) + 1)),
    many: {
      read: (names) => Effect.sync(() => [...names].sort().flatMap((name) => streams.get(name) ?? [])),
      payloads: (names, name) =>
        Effect.sync(() =>
          names.flatMap((stream) => {
            const payload = payloads.get(`${stream}/${name}`)
            return payload === undefined ? [] : [{ stream, payload }]
          })
        )
    },
    head: Effect.sync(signal.current),
    settled: () => Effect.void,
    stepBack: (position, count) => positionOf(Math.max(0, Number(position) - count)),
    payload: (stream, name) => Effect.sync(() => payloads.get(`${stream}/${name}`) ?? null),
    ...Following.make({
      page: (after) => Effect.sync(() => log.slice(Number(after), Number(after) + pageSize)),
      head: Effect.sync(signal.current),
      signal
    })
  })
})

export const layer: Layer.Layer<EventStore | EventReader> = Layer.effectContext(
  Effect.map(make, (store) => Context.make(EventStore, store).pipe(Context.add(EventReader, store)))
)
