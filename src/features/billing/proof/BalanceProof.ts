/**
 * Proves the balance of an account event by event. Which events are the account's comes from the read model, so that the proof
 * reads only those; their amounts come from the log. That the read model leaves none out is proven by the audit.
 */
import { Context, Effect, Layer, Option, Stream } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import * as Account from "#domain/account/Account.ts"
import type { AccountId } from "#domain/Ids.ts"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import { Ledger, type LedgerEntry } from "#projections/ledger/Ledger.ts"
import { Projections } from "#projections/Projections.ts"
import type { ReadModelBehind } from "#projections/ReadModelError.ts"
import { AccountNotFound } from "#src/features/accounts/AccountErrors.ts"
import { EventReader, type EventStoreError } from "#streams/EventReader.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as StreamName from "#streams/StreamName.ts"
import { usd } from "../audit/Books.ts"
import { AuditFailed } from "../audit/Invariant.ts"
import * as ProvenBalance from "./ProvenBalance.ts"

export interface Proven {
  /** Entries that the account had when the proof began. */
  readonly entries: number
  readonly events: Stream.Stream<ProvenBalance.ProvenEvent, AuditFailed | EventStoreError | SqlError>
  /** The balance after the events so far. */
  readonly balance: () => ProvenBalance.Balance
}

/** Entries that are read, and events that are in memory, at a time. */
const atOnce = 100

/** Streams that are read at a time. */
const readers = 8

const streamOf = ({ accountId, requestId }: LedgerEntry): StreamName.StreamName =>
  requestId === null
    ? StreamName.make(Account.aggregate.category, accountId)
    : StreamName.make(InferenceRequest.aggregate.category, requestId)

/** Turns thrown check failures into failures; anything else is a bug. */
const checked = <A>(check: () => A): Effect.Effect<A, AuditFailed> =>
  Effect.try({ try: check, catch: (error) => error }).pipe(
    Effect.catch((error) => (error instanceof AuditFailed ? Effect.fail(error) : Effect.die(error)))
  )

export class BalanceProof extends Context.Service<
  BalanceProof,
  {
    /**
     * All events that moved money of the account, in the order of the log, up to the first one after `until` (Unix time in ms),
     * or up to the end. Without `until`, the stream fails if the balance at its end is not the account's.
     */
    prove(options: {
      readonly accountId: AccountId
      readonly until: number | null
    }): Effect.Effect<Proven, AccountNotFound | ReadModelBehind | EventStoreError | SqlError>
  }
>()("inferlog/src/features/billing/proof/BalanceProof") {
  static readonly layer = Layer.effect(
    BalanceProof,
    Effect.gen(function* () {
      const ledger = yield* Ledger
      const projections = yield* Projections
      const reader = yield* EventReader

      const streamsOf = Effect.fnUntraced(function* (rows: ReadonlyArray<LedgerEntry>) {
        const names = [...new Set(rows.map(streamOf))]
        const read = reader.many?.read
        const events =
          read === undefined
            ? (yield* Effect.forEach(names, (name) => reader.read(name), { concurrency: readers })).flat()
            : yield* read(names)
        return Map.groupBy(events, ({ stream }) => stream)
      })

      const none: ReadonlyArray<RecordedEvent> = []

      const isAccount = Effect.fnUntraced(function* (accountId: AccountId) {
        const events = yield* reader.read(StreamName.make(Account.aggregate.category, accountId))
        if (events.length === 0) return yield* new AccountNotFound()
      })

      /** Whether the read model still has no further entry, so that its balance was that at the end of the proof. */
      const compare = Effect.fnUntraced(function* (
        accountId: AccountId,
        after: number,
        { available, held }: ProvenBalance.Balance
      ) {
        const found = yield* ledger.balance(accountId)
        const [next] = yield* ledger.walk({ accountId, after, limit: 1 })
        if (next !== undefined) return false
        if (found.balance === available + held && found.reserved === held) return true
        return yield* new AuditFailed({
          position: yield* reader.head,
          invariant: "read model",
          reason: `the account has ${usd(found.balance)}, of which ${usd(found.reserved)} are held; by the log ${usd(available + held)} and ${usd(held)}`
        })
      })

      return BalanceProof.of({
        prove: Effect.fn("BalanceProof.prove")(function* ({ accountId, until }) {
          yield* isAccount(accountId)
          yield* projections.current("ledger")
          const { total } = yield* ledger.entries({ accountId, page: 1, after: null, limit: 1 })
          const proven = ProvenBalance.make(accountId)

          const page = Effect.fnUntraced(function* (after: number) {
            const found = yield* ledger.walk({ accountId, after, limit: atOnce })
            const late = until === null ? -1 : found.findIndex(({ createdAt }) => createdAt > until)
            const rows = late < 0 ? found : found.slice(0, late)
            const streams = yield* streamsOf(rows)
            const events = yield* checked(() =>
              rows.flatMap((row) => proven.pass(row, streams.get(streamOf(row)) ?? none) ?? [])
            )
            const last = rows.at(-1)?.entryId ?? after
            const isEnd = until === null ? found.length === 0 : late >= 0 || found.length < atOnce
            const isDone = isEnd && (until !== null || (yield* compare(accountId, after, proven.balance())))
            return [events, isDone ? Option.none<number>() : Option.some(last)] as const
          })

          return { entries: total, events: Stream.paginate(0, page), balance: proven.balance }
        })
      })
    })
  )
}
