/**
 * Erases payload records, which are in another stream, with the append that records the erasure. A note is stored before
 * and removed at the end; after a crash another node finishes the work. The server overwrites a removed message at once;
 * with replicas, the servers' journals contain it for three minutes more (measured with 2.10.27).
 */
import type { StoredMsg } from "@nats-io/jetstream"
import { Clock, Effect, Schedule, Schema } from "effect"
import type { EventStoreError } from "../EventReader.ts"
import type { StreamName } from "../StreamName.ts"
import * as Tombstone from "../Tombstone.ts"
import type { MessageReads } from "./MessageReads.ts"
import { Nats } from "./Nats.ts"
import * as NatsFailure from "./NatsFailure.ts"
import { names } from "./NatsOptions.ts"
import type { PayloadRecords } from "./PayloadRecords.ts"
import * as StoredMessages from "./StoredMessages.ts"
import * as Subjects from "./Subjects.ts"

/** How long a node leaves a note alone after first seeing it, ms: its append may be in progress. */
const graceMs = 120_000

const repairs = Schedule.spaced("1 minute")

/** Tries of a removal before it is left to the note. */
const tries = { schedule: Schedule.spaced("200 millis"), times: 10 }

const what = "Payload records cannot be erased"

/** An erasure with a stored note. */
interface Noted {
  /** To run when its event is on the log. */
  readonly finish: Effect.Effect<void>
  /** To run when its event is not on the log and never will be. */
  readonly drop: Effect.Effect<void>
}

export interface Erasures {
  /** Must run before the append with the event. */
  readonly note: (stream: StreamName, erased: ReadonlyArray<string>) => Effect.Effect<Noted, EventStoreError>
  /** Finishes the erasures of old notes. */
  readonly repair: Effect.Effect<void, EventStoreError>
}

const logLater = (error: unknown) => Effect.logWarning("An interrupted erasure will be finished later", error)

const decodeNote = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Array(Schema.String)))

export const make = Effect.fnUntraced(function* (reads: MessageReads, records: PayloadRecords) {
  const nats = yield* Nats
  const { js, options } = nats
  const get = StoredMessages.make(nats, names(options).payloads.stream, what)
  const subjects = Subjects.make(options)
  /** When this node first saw each note, by sequence number. Only its own clock is used. */
  let firstSeen = new Map<number, number>()

  const removeAll = (stream: StreamName, erased: ReadonlyArray<string>) =>
    Effect.forEach(erased, (name) => records.remove(stream, name), { discard: true })

  const note: Erasures["note"] = (stream, erased) =>
    NatsFailure.attempt(nats, what, () => js.publish(subjects.erasure(stream), JSON.stringify(erased))).pipe(
      Effect.map(({ seq }) => ({
        finish: Effect.andThen(removeAll(stream, erased), records.forget(seq)).pipe(
          Effect.retry(tries),
          Effect.catch((error) =>
            Effect.logWarning("Erased payload records will be removed within minutes", error)
          )
        ),
        drop: Effect.ignore(records.forget(seq))
      }))
    )

  /** Removes the records that the log has as erased, whichever node wrote the note. */
  const repairOne = Effect.fnUntraced(function* (found: StoredMsg) {
    const stream = subjects.streamOf(found.subject)
    const noted = yield* decodeNote(found.string())
    const erased = new Set((yield* reads.ofStream(stream, 0)).flatMap(Tombstone.erasedBy))
    yield* removeAll(
      stream,
      noted.filter((name) => erased.has(name))
    )
    yield* records.forget(found.seq)
  })

  const repair = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const remaining = new Map<number, number>()
    let after = 0
    while (true) {
      const found = yield* get({ seq: after + 1, next_by_subj: subjects.allErasures })
      if (found === null) break
      after = found.seq
      const since = firstSeen.get(after) ?? now
      remaining.set(after, since)
      if (now - since < graceMs) continue
      yield* Effect.catch(repairOne(found), logLater)
    }
    firstSeen = remaining
  })

  yield* repair.pipe(Effect.catch(logLater), Effect.repeat(repairs), Effect.forkScoped)
  return { note, repair } satisfies Erasures
})
