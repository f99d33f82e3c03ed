/** Erases an account: closes it, then erases its data in rounds until one finds nothing. Any node can continue. */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { AccountId } from "#domain/Ids.ts"
import { isTerminal } from "#domain/inference-request/State.ts"
import { Status } from "#domain/inference-request/Status.ts"
import { Projections } from "#projections/Projections.ts"
import { type AccountRequest, Retention } from "#projections/retention/Retention.ts"
import type { PageKey } from "#projections/retention/PageKey.ts"
import { startOf } from "#projections/retention/PageKey.ts"
import { AccountActors } from "#src/features/accounts/AccountActors.ts"
import { AccountNotFound } from "#src/features/accounts/AccountErrors.ts"
import { FileSweep } from "#src/features/files/FileSweep.ts"
import * as Rejections from "#src/features/accounts/Rejections.ts"
import { RequestActors } from "#src/features/requests/RequestActors.ts"
import { EventReader, type EventStoreError } from "#streams/EventReader.ts"
import { Eraser } from "./Eraser.ts"
import * as Pace from "#src/kernel/async/Pace.ts"
import type { Round } from "./ErasingRound.ts"

/** Whether this process accepts requests. One admitted just before the close may be accepted after it. */
export const TakesRequests = Context.Reference<boolean>("inferlog/src/features/retention/TakesRequests", {
  defaultValue: () => false
})

/** Time after which no request admitted before the close can still arrive, ms. */
const graceMs = 60_000

/** How long a round waits for the read models. */
const patience = "30 seconds"

/** The read model lags or has stopped. */
export class ReadModelBehind extends Schema.TaggedError<ReadModelBehind>()("ReadModelBehind", {
  projection: Schema.String
}) {
  override get message(): string {
    return `The read model ${this.projection} is behind the log: try again later`
  }
}

const [firstStatus] = Status.literals
const start: Round = { place: startOf(firstStatus), erased: 0, open: 0, failed: 0 }

export class AccountErasing extends Context.Service<
  AccountErasing,
  {
    /** Closes the account and revokes its keys for good. Repeating it changes nothing. */
    close(accountId: AccountId): Effect.Effect<void, AccountNotFound | EventStoreError>
    /** Processes one page; `null` begins a round. The end is recorded once nothing was found and nothing can arrive. */
    step(
      accountId: AccountId,
      round: Round | null
    ): Effect.Effect<Round, ReadModelBehind | SqlError | EventStoreError>
  }
>()("inferlog/src/features/retention/AccountErasing") {
  static readonly layer = Layer.effect(
    AccountErasing,
    Effect.gen(function* () {
      const accounts = yield* AccountActors
      const requests = yield* RequestActors
      const eraser = yield* Eraser
      const files = yield* FileSweep
      const retention = yield* Retention
      const projections = yield* Projections
      const reader = yield* EventReader
      const grace = (yield* TakesRequests) ? graceMs : 0

      const close: AccountErasing["Service"]["close"] = Effect.fn("AccountErasing.close")(
        function* (accountId) {
          const at = yield* Clock.currentTimeMillis
          yield* accounts
            .execute(accountId, { _tag: "Erase", at })
            .pipe(Rejections.expect({ AccountNotFound: () => new AccountNotFound() }))
        }
      )

      /** The history may lag, so the request itself decides. */
      const work = Effect.fnUntraced(function* ({ isErasable, requestId, status }: AccountRequest) {
        if (!isErasable) {
          if (status !== "IN_QUEUE" && status !== "IN_PROGRESS") return "nothing"
          const at = yield* Clock.currentTimeMillis
          const { state } = yield* requests.execute(requestId, { _tag: "Cancel", at })
          if (state._tag !== "Request" || !isTerminal(state.phase)) return "open"
        }
        return (yield* eraser.erase(requestId, "account")) ? "erased" : "nothing"
      })

      const attempt = (request: AccountRequest) =>
        work(request).pipe(
          Effect.catchCause((cause) =>
            Effect.as(
              Effect.logWarning("A request of an erased account could not be erased", cause),
              "failed"
            )
          ),
          Effect.annotateLogs({ request_id: request.requestId })
        )

      const page = Effect.fnUntraced(function* (accountId: AccountId, round: Round, after: PageKey) {
        const found = yield* retention.ofAccount({ accountId, after, limit: Pace.pageSize })
        const done = yield* Effect.forEach(found, attempt, { concurrency: Pace.concurrency })
        const count = (what: (typeof done)[number]) => done.filter((each) => each === what).length
        return {
          place: found.length < Pace.pageSize ? nextStatus(after.status) : (found.at(-1) ?? null),
          erased: round.erased + count("erased"),
          open: round.open + count("open"),
          failed: round.failed + count("failed")
        }
      })

      /** A round on a lagging read model would miss items. */
      const catchUp = Effect.gen(function* () {
        const head = yield* reader.head
        for (const projection of ["history", "retention", "files"]) {
          if (yield* projections.waitFor(head, { projection, timeout: patience })) continue
          return yield* new ReadModelBehind({ projection })
        }
      })

      /** The account's own uploads are erased at the end of a round. */
      const withFiles = Effect.fnUntraced(function* (accountId: AccountId, round: Round) {
        const { done, failed } = yield* files.removeAll(accountId)
        return { ...round, erased: round.erased + done, failed: round.failed + failed }
      })

      const finish = Effect.fnUntraced(function* (accountId: AccountId) {
        const erased = (yield* retention.accounts).find((account) => account.accountId === accountId)
        const at = yield* Clock.currentTimeMillis
        if (erased !== undefined && at - erased.erasedAt < grace) return
        yield* accounts.execute(accountId, { _tag: "RecordErased", at }).pipe(Rejections.none)
      })

      const step: AccountErasing["Service"]["step"] = Effect.fn("AccountErasing.step")(
        function* (accountId, before) {
          const isBeginning = before === null || before.place === null
          const round = isBeginning ? start : before
          if (isBeginning) yield* catchUp
          const after = round.place ?? startOf(firstStatus)
          const reached = yield* Pace.paced(page(accountId, round, after))
          const next = reached.place === null ? yield* withFiles(accountId, reached) : reached
          if (next.place === null && next.erased + next.open + next.failed === 0) yield* finish(accountId)
          return next
        }
      )

      return AccountErasing.of({ close, step })
    })
  )
}

const nextStatus = (status: Status): PageKey | null => {
  const next = Status.literals[Status.literals.indexOf(status) + 1]
  return next === undefined ? null : startOf(next)
}
