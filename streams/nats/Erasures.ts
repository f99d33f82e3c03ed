/**
 * Erasing payload records with the append that says so, though they lie in another stream: what is to be erased is noted
 * there before the append, and the note is removed when all is done. After a crash between, another node finishes it.
 */
import type { MsgRequest } from "@nats-io/jetstream"
import { Clock, Effect, Schedule, Schema } from "effect"
import type { EventStoreError } from "../EventReader.ts"
import * as Tombstone from "../Tombstone.ts"
import type { StreamName } from "../StreamName.ts"
import type { MessageReads } from "./MessageReads.ts"
import { Nats } from "./Nats.ts"
import * as NatsFailure from "./NatsFailure.ts"
import { names } from "./NatsOptions.ts"
import type { PayloadRecords } from "./PayloadRecords.ts"
import * as Subjects from "./Subjects.ts"

/** A note that is younger may be of an append that is under way, ms. */
const graceMs = 60_000

const repairs = Schedule.spaced("1 minute")

/** How often a removal is tried before it is left to the note. */
const tries = { schedule: Schedule.spaced("200 millis"), times: 10 }

const what = "Payload records cannot be erased"

export interface Erasures {
  /** Does `append`, which has an event that erases these payloads of its stream, and removes their records after it. */
  readonly around: <A, E>(
    stream: StreamName,
    erased: ReadonlyArray<string>,
    append: Effect.Effect<A, E>
  ) => Effect.Effect<A, E | EventStoreError>
  /** Finishes what was noted a while ago. */
  readonly repair: Effect.Effect<void, EventStoreError>
}

const decodeNote = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Array(Schema.String)))

export const make = Effect.fnUntraced(function* (reads: MessageReads, records: PayloadRecords) {
  const nats = yield* Nats
  const { js, jsm, options } = nats
  const { stream: store } = names(options).payloads
  const subjects = Subjects.make(options)

  const note = (stream: StreamName, erased: ReadonlyArray<string>) =>
    Effect.map(
      NatsFailure.attempt(nats, what, () => js.publish(subjects.erasure(stream), JSON.stringify(erased))),
      ({ seq }) => seq
    )

  const forget = (sequence: number) =>
    NatsFailure.attempt(nats, what, () => jsm.streams.deleteMessage(store, sequence))

  const removeAll = (stream: StreamName, erased: ReadonlyArray<string>) =>
    Effect.forEach(erased, (name) => records.remove(stream, name), { discard: true })

  const finish = (stream: StreamName, erased: ReadonlyArray<string>, sequence: number) =>
    Effect.andThen(removeAll(stream, erased), forget(sequence)).pipe(
      Effect.retry(tries),
      Effect.catch((error) =>
        Effect.logWarning("Erased payload records are removed within some minutes", error)
      )
    )

  const around: Erasures["around"] = Effect.fnUntraced(function* (stream, erased, append) {
    const sequence = yield* note(stream, erased)
    // After a failure the append may be on the log nevertheless: then the repair finds its event.
    const done = yield* append
    yield* finish(stream, erased, sequence)
    return done
  })

  /** Those that the log says were erased, whoever has noted them. */
  const repairOne = Effect.fnUntraced(function* (stream: StreamName, noted: ReadonlyArray<string>) {
    const erased = new Set((yield* reads.ofStream(stream, 0)).flatMap(Tombstone.erasedBy))
    yield* removeAll(
      stream,
      noted.filter((name) => erased.has(name))
    )
  })

  const repair = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    let after = 0
    while (true) {
      const query = { seq: after + 1, next_by_subj: subjects.allErasures } as unknown as MsgRequest
      const found = yield* NatsFailure.attempt(nats, what, () => jsm.streams.getMessage(store, query))
      if (found === null) return
      after = found.seq
      if (now - found.time.getTime() < graceMs) continue
      yield* repairOne(subjects.streamOf(found.subject), decodeNote(found.string()))
      yield* forget(found.seq)
    }
  })

  yield* repair.pipe(
    Effect.catchCause((cause) => Effect.logWarning("Erasing that was cut short is finished later", cause)),
    Effect.repeat(repairs),
    Effect.forkScoped
  )
  return { around, repair } satisfies Erasures
})
