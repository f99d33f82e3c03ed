/** Erases expired requests and those of erased accounts; finishes what was interrupted. May end anywhere. */
import { Clock, Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { RequestId } from "#domain/Ids.ts"
import { Projections } from "#projections/Projections.ts"
import { projection } from "#projections/retention/RetentionProjection.ts"
import { type ErasedAccount, Retention } from "#projections/retention/Retention.ts"
import { Lease } from "#src/platform/cluster/Lease.ts"
import { sweepInterval } from "#src/features/dispatch/sweep/Sweeping.ts"
import * as UnreadableRequests from "#src/platform/reactors/UnreadableRequests.ts"
import { AccountErasing } from "./AccountErasing.ts"
import { type Round } from "./ErasingRound.ts"
import { FileSweep } from "#src/features/files/FileSweep.ts"
import { Eraser } from "./Eraser.ts"
import * as Pace from "#src/kernel/async/Pace.ts"
import { retentionMs } from "#src/kernel/settings/RetentionTime.ts"
import { RequestActors } from "#src/features/requests/RequestActors.ts"
import { supervise } from "#src/kernel/async/Supervise.ts"
import { EventReader, type EventStoreError } from "#streams/EventReader.ts"
import * as WallTime from "#domain/inference-request/WallTime.ts"

/** How long a pass waits for its read model, which may be rebuilding. */
const patience = "1 minute"

/** The result of a pass. `resumed`: interrupted erasures that were finished. */
export interface Swept {
  readonly expired: number
  readonly resumed: number
  readonly ofAccounts: number
  /** Expired files, and interrupted removals. */
  readonly files: number
  /** Requests left for the next pass. */
  readonly failed: number
}

export class RetentionSweep extends Context.Service<
  RetentionSweep,
  {
    /** One pass. A failure with one request is logged and does not stop the others. */
    readonly pass: Effect.Effect<Swept, SqlError | EventStoreError>
  }
>()("inferlog/src/features/retention/RetentionSweep") {
  static readonly layerNoReactor = Layer.effect(
    RetentionSweep,
    Effect.gen(function* () {
      const retention = yield* Retention
      const projections = yield* Projections
      const reader = yield* EventReader
      const actors = yield* RequestActors
      const eraser = yield* Eraser
      const accountErasing = yield* AccountErasing
      const files = yield* FileSweep
      const keptMs = yield* retentionMs
      const unreadable = UnreadableRequests.make("be erased")

      /** Processes every request of all pages and counts successes and failures. Only the first failure is logged. */
      const each = Effect.fnUntraced(function* <E>(
        pageAfter: (after: RequestId | null) => Effect.Effect<ReadonlyArray<RequestId>, SqlError>,
        work: (id: RequestId) => Effect.Effect<boolean, E>
      ) {
        let done = 0
        let failed = 0
        const known = unreadable.count()
        const attempt = (id: RequestId) =>
          work(id).pipe(
            unreadable.orElse(id, false),
            Effect.tap((didIt) => Effect.sync(() => (done += didIt ? 1 : 0))),
            Effect.catchCause((cause) =>
              failed++ === 0
                ? Effect.logWarning("The payloads of a request could not be erased", cause)
                : Effect.void
            ),
            Effect.annotateLogs({ request_id: id })
          )
        let after: RequestId | null = null
        while (true) {
          const ids: ReadonlyArray<RequestId> = yield* pageAfter(after)
          yield* Pace.paced(Effect.forEach(ids, attempt, { concurrency: Pace.concurrency, discard: true }))
          after = ids.at(-1) ?? null
          if (ids.length < Pace.pageSize) return { done, failed: failed + unreadable.count() - known }
        }
      })

      const resume = each(
        (after) => retention.removals({ after, limit: Pace.pageSize }),
        (id) => Effect.as(Effect.andThen(actors.refresh(id), eraser.resume(id)), true)
      )

      const expire = Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const submittedBy = now - keptMs
        return each(
          (after) => retention.expired({ createdBefore: submittedBy + 1, after, limit: Pace.pageSize }),
          // An id reserved under an idempotency key may be older than its request.
          Effect.fnUntraced(function* (id) {
            const { state } = yield* actors.refresh(id)
            if (state._tag !== "Request" || WallTime.dateOf(state.submitted) > submittedBy) return false
            return yield* eraser.erase(id, "expired")
          })
        )
      })

      /** Repeats while a round finds something to erase. */
      const workOff = Effect.fnUntraced(function* ({ accountId }: ErasedAccount) {
        let erased = 0
        let round: Round | null = null
        while (true) {
          const next: Effect.Success<ReturnType<typeof accountErasing.step>> = yield* accountErasing.step(
            accountId,
            round
          )
          round = next
          if (next.place !== null) continue
          erased += next.erased
          if (next.erased === 0) return { done: erased, failed: next.failed }
        }
      })

      const workOffAll = Effect.flatMap(retention.accounts, (accounts) =>
        Effect.forEach(accounts, (account) =>
          workOff(account).pipe(
            Effect.catchCause((cause) =>
              Effect.as(Effect.logWarning("The requests of an erased account could not be erased", cause), {
                done: 0,
                failed: 1
              })
            )
          )
        )
      )

      const pass = Effect.gen(function* () {
        yield* projections.waitFor(yield* reader.head, { projection: projection.name, timeout: patience })
        const resumed = yield* resume
        const expired = yield* expire
        const accounts = yield* workOffAll
        const ofFiles = yield* files.pass
        const sum = (counts: ReadonlyArray<number>) => counts.reduce((total, count) => total + count, 0)
        const swept: Swept = {
          expired: expired.done,
          resumed: resumed.done,
          ofAccounts: sum(accounts.map(({ done }) => done)),
          files: ofFiles.done,
          failed: sum([resumed, expired, ofFiles, ...accounts].map(({ failed }) => failed))
        }
        if (sum(Object.values(swept)) > 0) {
          yield* Effect.annotateLogs(Effect.logInfo("Payloads were erased"), { ...swept })
        }
        return swept
      })

      return RetentionSweep.of({ pass })
    })
  )

  /** Runs at start and then every `SWEEP_INTERVAL`, while this node holds the lease. */
  static readonly layer = Layer.effectDiscard(
    Effect.gen(function* () {
      const { pass } = yield* RetentionSweep
      const interval = yield* sweepInterval.config
      const lease = yield* Lease
      const passes = Effect.forever(Effect.andThen(Effect.when(pass, lease.isHeld), Effect.sleep(interval)))
      yield* Effect.forkScoped(supervise("Erasing what is due", passes))
    })
  ).pipe(Layer.provide(RetentionSweep.layerNoReactor))
}
