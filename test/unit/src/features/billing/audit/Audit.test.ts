/** The audit of an unchanged log. */
import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Booked } from "#src/features/billing/audit/Auditor.ts"
import * as Statement from "#src/features/billing/audit/Statement.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as LogFiles from "#streams/sqlite/LogFiles.ts"
import * as DataDirectory from "#test/support/streams/sqlite/DataDirectory.ts"
import * as TamperedLog from "#test/support/streams/sqlite/TamperedLog.ts"
import * as AuditedLog from "#test/support/src/features/billing/audit/AuditedLog.ts"

const written = Effect.gen(function* () {
  const directory = yield* TempDirectory.make
  yield* DataDirectory.own(directory, AuditedLog.write)
  yield* AuditedLog.project(directory)
  return directory
})

/** For the log's event with that number. */
const at = (events: number) => GlobalPosition.GlobalPosition.make(String(events))

/** Columns of a statement in the order of the table. */
const cells = (row: Statement.Row | undefined) =>
  row && [
    row.opening,
    row.topUps,
    row.charges,
    Statement.closing(row),
    row.held,
    row.charged,
    row.partial,
    row.notBilled
  ]

const statementOf = Effect.fnUntraced(function* (directory: string, from: number | null, to: number | null) {
  const statement = Statement.make({ from, to })
  yield* AuditedLog.audit(directory, {
    opened: (accountId, { time }) => statement.opened(accountId, time),
    booked: statement.booked
  })
  return {
    acme: cells(statement.rows.get(AuditedLog.acme)),
    beta: cells(statement.rows.get(AuditedLog.beta))
  }
})

describe("An audit", () => {
  it.live("verifies a log with every kind of end, and its read model", () =>
    Effect.gen(function* () {
      const directory = yield* written
      const { accounts, events, openRequests, overdrafts, readModel } = yield* AuditedLog.audit(directory)
      assert.deepStrictEqual(
        { accounts, openRequests, overdrafts },
        { accounts: 2, openRequests: 2, overdrafts: [] }
      )
      assert.deepStrictEqual(readModel, { _tag: "Agrees", position: at(events), behind: 0 })
    }).pipe(Effect.scoped)
  )

  it.live("verifies a log without accounts, and reports a missing read model", () =>
    Effect.gen(function* () {
      const directory = yield* TempDirectory.make
      yield* DataDirectory.own(directory, Effect.void)
      const { accounts, readModel } = yield* AuditedLog.audit(directory)
      assert.strictEqual(accounts, 0)
      assert.deepStrictEqual(readModel, { _tag: "NotCompared", reason: "there is no file of read models" })
    }).pipe(Effect.scoped)
  )

  it.live("compares a lagging read model at its own position", () =>
    Effect.gen(function* () {
      const directory = yield* written
      const { events } = yield* AuditedLog.audit(directory)
      yield* DataDirectory.own(directory, AuditedLog.request("more", AuditedLog.t0 + 30 * AuditedLog.day))
      const audited = yield* AuditedLog.audit(directory)
      assert.strictEqual(audited.events, events + 1)
      assert.deepStrictEqual(audited.readModel, { _tag: "Agrees", position: at(events), behind: 1 })
    }).pipe(Effect.scoped)
  )

  it.live("reports a read model beyond the end of a truncated log", () =>
    Effect.gen(function* () {
      const directory = yield* written
      const { events } = yield* AuditedLog.audit(directory)
      TamperedLog.withDatabase(directory, (db) => db.exec(`DELETE FROM events WHERE position = ${events}`))
      fs.rmSync(LogFiles.files(directory).head)
      const { readModel } = yield* AuditedLog.audit(directory)
      assert.strictEqual(readModel._tag, "NotCompared")
      assert.include(readModel, {
        reason: `it stands at position ${events}, past the end of the log: either events are missing, or the two are copies of different times`
      })
    }).pipe(Effect.scoped)
  )

  it.live("reports an account beyond its credit limit, without failing", () =>
    Effect.gen(function* () {
      const directory = yield* written
      const later = AuditedLog.t0 + 30 * AuditedLog.day
      const { beta } = AuditedLog
      const quote = { unitPrice: 1_500_000_000n, hold: 6_000_000_000n }
      yield* DataDirectory.own(
        directory,
        Effect.gen(function* () {
          yield* AuditedLog.dearRequest("within", later, beta, quote)
          yield* AuditedLog.dearRequest("beyond", later, beta, quote)
        })
      )
      const { events, overdrafts } = yield* AuditedLog.audit(directory)
      assert.deepStrictEqual(overdrafts, [
        { accountId: beta, position: at(events), requests: 1, worst: 6_000_000_000n }
      ])
    }).pipe(Effect.scoped)
  )

  it.live("reports each account's amounts, over all time and within a period", () =>
    Effect.gen(function* () {
      const directory = yield* written
      const { day, t0 } = AuditedLog
      const all = yield* statementOf(directory, null, null)
      assert.deepStrictEqual(all.acme, [
        0n,
        25_000_000_000n,
        38_000_000n,
        24_962_000_000n,
        16_000_000n,
        5,
        1,
        9
      ])
      assert.deepStrictEqual(all.beta, [0n, 5_000_000_000n, 0n, 5_000_000_000n, 0n, 0, 0, 0])

      const early = yield* statementOf(directory, t0 + day, t0 + 3 * day)
      assert.deepStrictEqual(early.acme, [
        15_000_000_000n,
        10_000_000_000n,
        8_000_000n,
        24_992_000_000n,
        0n,
        1,
        0,
        0
      ])
      const late = yield* statementOf(directory, t0 + 3 * day, null)
      assert.deepStrictEqual(late.acme?.slice(-3), [4, 1, 9])
      const before = yield* statementOf(directory, null, t0)
      assert.deepStrictEqual(before, { acme: undefined, beta: undefined })
    }).pipe(Effect.scoped)
  )

  it.live("books every entry once, each from one account to another", () =>
    Effect.gen(function* () {
      const directory = yield* written
      const all: Array<Booked> = []
      const { entries } = yield* AuditedLog.audit(directory, {
        ...AuditedLog.silent,
        booked: (booked) => all.push(booked)
      })
      const kinds = all
        .filter(({ requestId }) => requestId === AuditedLog.requestId("partial"))
        .flatMap(({ entries }) => entries.map(({ amount, kind }) => [kind, amount]))
      assert.deepStrictEqual(kinds, [
        ["hold", 8_000_000n],
        ["charge", 6_000_000n],
        ["release", 2_000_000n]
      ])
      assert.strictEqual(
        all.reduce((count, { entries }) => count + entries.length, 0),
        entries
      )
    }).pipe(Effect.scoped)
  )
})
