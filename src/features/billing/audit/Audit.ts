/** One pass over a log that proves the hash chain and the money, also beside a running server. */
import { type Config, Effect } from "effect"
import * as ChosenLog from "#src/platform/log/ChosenLog.ts"
import type { BlobStoreError } from "#streams/BlobStore.ts"
import type { EventReader, EventStoreError } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import type { Payloads } from "#streams/Payload.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import type { Verified, VerifyOptions } from "#streams/Verify.ts"
import type * as AccountAudit from "./AccountAudit.ts"
import * as Auditor from "./Auditor.ts"
import { AuditFailed } from "./Invariant.ts"
import * as ReadModel from "./ReadModel.ts"

export interface Options extends Auditor.Listener, Pick<VerifyOptions, "anchors" | "marks" | "from"> {
  /** The state at `from`; both or neither. */
  readonly resumed?: Auditor.Resumed
  /** Called after each page with the number of audited events and the position of the last. */
  readonly onProgress?: (events: number, position: GlobalPosition.GlobalPosition) => Effect.Effect<void>
}

/** The proven facts: of the events since `from`, and of the books as a whole. */
export interface Audited extends Verified {
  readonly accounts: number
  readonly entries: number
  readonly openRequests: number
  /** The position at which the read model agrees with the log, in events before its end, or why it was not compared. */
  readonly readModel:
    | {
        readonly _tag: "Agrees"
        readonly position: GlobalPosition.GlobalPosition
        readonly behind: number
      }
    | { readonly _tag: "NotCompared"; readonly reason: string }
  /** No breach: several nodes may accept more than an account has, within their lag. */
  readonly overdrafts: ReadonlyArray<AccountAudit.Overdraft>
  /** What a later audit may go on from. */
  readonly state: Auditor.AuditState
}

/** Compares once, at the position of the read model. */
const makeComparison = (model: ReadModel.ReadModel, standing: Auditor.AuditState) => {
  let comparedAt: number | null = null
  return {
    /** Events before the compared position; `null` if not compared. */
    comparedAt: () => comparedAt,
    reached: (position: GlobalPosition.GlobalPosition, events: number) => {
      if (comparedAt !== null || model._tag === "Missing" || position !== model.ledger.position) return
      const reason = ReadModel.difference(model, standing)
      if (reason !== null) throw new AuditFailed({ position, invariant: "read model", reason })
      comparedAt = events
    }
  }
}

/** Turns thrown check failures into failures; anything else is a bug. */
const failing = (check: () => void): Effect.Effect<void, AuditFailed> =>
  Effect.suspend(() => {
    try {
      check()
      return Effect.void
    } catch (error) {
      if (error instanceof AuditFailed) return Effect.fail(error)
      throw error
    }
  })

export const run: (
  directory: string,
  options: Options
) => Effect.Effect<
  Audited,
  AuditFailed | EventStoreError | BlobStoreError | Config.ConfigError,
  EventReader | Payloads
> = Effect.fn("Audit.run")(function* (directory, { booked, opened, resumed, ...options }) {
  // Read before the log's end, so that the log reaches at least as far.
  const model = yield* Effect.sync(() => ReadModel.read(directory))
  const auditor = Auditor.make({ booked, opened }, resumed)
  const { accounts, books, requests } = auditor.state
  const comparison = makeComparison(model, auditor.state)

  // Each entry was checked when it was booked; here the books are summed once more.
  const checkSum = (position: GlobalPosition.GlobalPosition) => {
    const sum = books.sum()
    if (sum === 0n) return
    const reason = `all accounts together have ${sum} nano-USD`
    throw new AuditFailed({ position, invariant: "balanced books", reason })
  }

  let passed = 0
  const passAll = (events: ReadonlyArray<RecordedEvent>) => {
    for (const event of events) {
      auditor.pass(event)
      comparison.reached(event.position, ++passed)
    }
  }

  const start = options.from?.position ?? GlobalPosition.beginning
  yield* failing(() => comparison.reached(start, 0))
  const verified = yield* ChosenLog.verifyAll(directory, {
    ...options,
    visit: (events) => failing(() => passAll(events))
  }).pipe(
    Effect.catchTag("LogBroken", ({ position, reason }) =>
      Effect.fail(new AuditFailed({ position, invariant: "chain", reason }))
    )
  )
  yield* failing(() => checkSum(verified.position))
  return {
    ...verified,
    accounts: accounts.size,
    entries: books.entries(),
    openRequests: requests.size,
    readModel: readModelOf(model, comparison.comparedAt(), verified.events, start),
    state: auditor.state,
    overdrafts: [...accounts.values()].flatMap(({ overdraft }) => (overdraft === null ? [] : [overdraft]))
  }
})

const readModelOf = (
  model: ReadModel.ReadModel,
  comparedAt: number | null,
  events: number,
  start: GlobalPosition.GlobalPosition
): Audited["readModel"] => {
  if (model._tag === "Missing") return { _tag: "NotCompared", reason: model.reason }
  const { position } = model.ledger
  if (comparedAt === null && GlobalPosition.isReached(position, start)) {
    return { _tag: "NotCompared", reason: `it stands at position ${position}, before the checkpoint` }
  }
  return comparedAt !== null
    ? { _tag: "Agrees", position, behind: events - comparedAt }
    : {
        _tag: "NotCompared",
        reason: `it stands at position ${position}, past the end of the log: either events are missing, or the two are copies of different times`
      }
}
