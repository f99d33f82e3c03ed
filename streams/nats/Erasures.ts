/**
 * Erasing payload records with the append that says so, though they lie in another stream: what is to be erased is noted
 * there before the append, and the note is removed when all is done. After a crash between, another node finishes it.
 *
 * The server overwrites a removed message on its disk at once. With replicas the servers' own journals keep it until they are
 * compacted: within about three minutes (measured with 2.10.27).
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

/** For how long a node leaves a note that it has seen alone, ms: it may be of an append that is under way. */
const graceMs = 120_000

const repairs = Schedule.spaced("1 minute")

/** How often a removal is tried before it is left to the note. */
const tries = { schedule: Schedule.spaced("200 millis"), times: 10 }

const what = "Payload records cannot be erased"

/** An erasure that is noted. */
interface Noted {
  /** When its event is on the log. */
  readonly finish: Effect.Effect<void>
  /** When its event is not, and will not be. */
  readonly drop: Effect.Effect<void>
}

export interface Erasures {
  /** Before the append that has the event of it. */
  readonly note: (stream: StreamName, erased: ReadonlyArray<string>) => Effect.Effect<Noted, EventStoreError>
  /** Finishes what this node has seen noted a while ago. */
  readonly repair: Effect.Effect<void, EventStoreError>
}

const tellLater = (error: unknown) => Effect.logWarning("Erasing that was cut short is finished later", error)

const decodeNote = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Array(Schema.String)))

export const make = Effect.fnUntraced(function* (reads: MessageReads, records: PayloadRecords) {
  const nats = yield* Nats
  const { js, options } = nats
  const get = StoredMessages.make(nats, names(options).payloads.stream, what)
  const subjects = Subjects.make(options)
  /** When this node first saw them, by their sequence numbers: its own clock is the only one that it goes by. */
  let seen = new Map<number, number>()

  const removeAll = (stream: StreamName, erased: ReadonlyArray<string>) =>
    Effect.forEach(erased, (name) => records.remove(stream, name), { discard: true })

  const note: Erasures["note"] = (stream, erased) =>
    NatsFailure.attempt(nats, what, () => js.publish(subjects.erasure(stream), JSON.stringify(erased))).pipe(
      Effect.map(({ seq }) => ({
        finish: Effect.andThen(removeAll(stream, erased), records.forget(seq)).pipe(
          Effect.retry(tries),
          Effect.catch((error) =>
            Effect.logWarning("Erased payload records are removed within some minutes", error)
          )
        ),
        drop: Effect.ignore(records.forget(seq))
      }))
    )

  /** Those that the log says were erased, whoever has noted them. */
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
    const still = new Map<number, number>()
    let after = 0
    while (true) {
      const found = yield* get({ seq: after + 1, next_by_subj: subjects.allErasures })
      if (found === null) break
      after = found.seq
      const since = seen.get(after) ?? now
      still.set(after, since)
      if (now - since < graceMs) continue
      yield* Effect.catch(repairOne(found), tellLater)
    }
    seen = still
  })

  yield* repair.pipe(Effect.catch(tellLater), Effect.repeat(repairs), Effect.forkScoped)
  return { note, repair } satisfies Erasures
})
