/**
 * Erasing an account: it is closed at once, and its files and everything that its requests carried go page by page, in
 * rounds over all of them until one finds nothing. What is left is known from the log: whoever goes on, and however often, it comes to
 * the same end.
 */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { AccountId } from "#domain/Ids.ts"
import { isTerminal } from "#domain/inference-request/State.ts"
import { Status } from "#domain/inference-request/Status.ts"
import { Projections } from "#projections/Projections.ts"
import { type AccountRequest, PageKey, Retention, startOf } from "#projections/retention/Retention.ts"
import { AccountActors } from "#src/features/accounts/AccountActors.ts"
import { AccountNotFound } from "#src/features/accounts/Accounts.ts"
import { FileSweep } from "#src/features/files/FileSweep.ts"
import * as Rejections from "#src/features/accounts/Rejections.ts"
import { RequestActors } from "#src/features/requests/RequestActors.ts"
import { EventReader, type EventStoreError } from "#streams/EventReader.ts"
import { Eraser } from "./Eraser.ts"
import * as Pace from "#src/kernel/async/Pace.ts"

/** Whether this process takes requests. One that was let in just before its account was closed may be accepted after. */
export const TakesRequests = Context.Reference<boolean>("inferlog/src/features/retention/TakesRequests", {
  defaultValue: () => false
})

/** After it no request that was let in before the account was closed can still be on its way, ms. */
const graceMs = 60_000

/** How long a round waits for the read models. */
const patience = "30 seconds"

/** The read model lags, or has stopped: it does not show all that there is. */
export class ReadModelBehind extends Schema.TaggedError<ReadModelBehind>()("ReadModelBehind", {
  projection: Schema.String
}) {
  override get message(): string {
    return `The read model ${this.projection} is behind the log: try again later`
  }
}

/** How far one round over the requests and files of an account is. */
export const Round = Schema.Struct({
  /** Where it goes on; `null` when it is over. */
  place: Schema.NullOr(PageKey),
  /** Requests and files. */
  erased: Schema.Int,
  /** Requests that have not ended yet: they are being stopped. */
  open: Schema.Int,
  /** Requests and files whose erasing failed; they are tried again in the next round. */
  failed: Schema.Int
})
export type Round = typeof Round.Type

const [firstStatus] = Status.literals
const start: Round = { place: startOf(firstStatus), erased: 0, open: 0, failed: 0 }

export class AccountErasing extends Context.Service<
  AccountErasing,
  {
    /** Closes the account and revokes its keys, for good. Repeated it changes nothing. */
    close(accountId: AccountId): Effect.Effect<void, AccountNotFound | EventStoreError>
    /**
     * One page further in the round; `null` begins one. Requests that have not ended are cancelled, the others erased. When
     * a round comes to its end and has found nothing, that is recorded, as soon as no request can come any more.
     */
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

      /** What has become of one request. The history may be behind: the request itself decides. */
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

      /** Behind the log a round would not see all that there is. */
      const catchUp = Effect.gen(function* () {
        const head = yield* reader.head
        for (const projection of ["history", "retention", "files"]) {
          if (yield* projections.waitFor(head, { projection, timeout: patience })) continue
          return yield* new ReadModelBehind({ projection })
        }
      })

      /** What the account itself brought goes at the end of a round. */
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
