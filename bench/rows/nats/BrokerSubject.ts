/** A subject in its own process that works on a prepared log. The NATS server's cost counts as the subject's. */
import { Effect, type Scope } from "effect"
import type { BenchFailed, Measurement, Subject, Unavailable } from "../../harness/Subject.ts"
import * as BrokerCosts from "../../subjects/nats/BrokerCosts.ts"
import * as Child from "../log/Child.ts"
import type { Prepared } from "./PreparedNats.ts"

export interface Options {
  readonly name: string
  readonly role: Subject["role"]
  readonly prepared: Effect.Effect<Prepared, BenchFailed | Unavailable, Scope.Scope>
  /** A program that calls `Work.serve`. */
  readonly entry: URL
  readonly args: (prepared: Prepared) => ReadonlyArray<string>
  /** The name of one operation, for the notes. */
  readonly one: string
  /** Further notes. */
  readonly notes?: (prepared: Prepared) => NonNullable<Measurement["notes"]>
}

export const make = ({ args, entry, name, notes, one, prepared, role }: Options): Subject => ({
  name,
  role,
  start: Effect.gen(function* () {
    const log = yield* prepared
    const child = yield* Child.start(entry, args(log))
    const parts = { broker: log.broker, pids: [child.pid], who: "the reader", one }
    const further = notes?.(log)
    return {
      measure: (seconds) =>
        Effect.map(BrokerCosts.meter(parts, child.measure(seconds)), (measured) => ({
          ...measured,
          notes: { ...measured.notes, ...further }
        }))
    }
  })
})
