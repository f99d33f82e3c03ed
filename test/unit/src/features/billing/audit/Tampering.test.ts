/** An audit finds changes of the files by someone who does not know their format. */
import { DatabaseSync } from "node:sqlite"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as DataDirectory from "#test/support/streams/sqlite/DataDirectory.ts"
import * as TamperedLog from "#test/support/streams/sqlite/TamperedLog.ts"
import * as AuditedLog from "#test/support/src/features/billing/audit/AuditedLog.ts"
import * as ForgedLog from "#test/support/src/features/billing/audit/ForgedLog.ts"
import { billed, copy, fails, shareLog } from "#test/support/src/features/billing/audit/TamperedCopies.ts"

shareLog()

describe("A modified read model", () => {
  const altered = (what: string, sql: string, reason: RegExp) =>
    it.live(`is detected: ${what}`, () =>
      Effect.gen(function* () {
        const directory = yield* copy
        using db = new DatabaseSync(`${directory}/projections.sqlite`)
        db.exec(sql)
        const { position } = yield* DataDirectory.verify(directory)
        yield* fails(directory, position, "read model", reason)
      }).pipe(Effect.scoped)
    )

  altered(
    "a balance",
    "UPDATE ledger_balances SET balance = '5000000001' WHERE account_id LIKE '%beta0'",
    /the balance of acc_\w+ is \$5.000000001, by the log \$5$/
  )
  altered("what is held", "UPDATE ledger_balances SET reserved = '0'", /what is held of acc_\w+ is \$0/)
  altered("an account less", "DELETE FROM ledger_balances WHERE account_id LIKE '%beta0'", /is \$0, by/)
  altered(
    "an account more",
    "INSERT INTO ledger_balances VALUES ('acc_ghost', '1', '0', 0)",
    /acc_ghost is \$0.000000001, by the log \$0/
  )
  altered(
    "a hold less",
    "DELETE FROM ledger_holds WHERE request_id LIKE 'rq-open%'",
    /1 requests, 2 are open/
  )
  altered("a hold", "UPDATE ledger_holds SET amount = '1'", /is not what the request's submit says/)
  altered(
    "a hold more",
    "INSERT INTO ledger_holds SELECT 'rq-charged-----------', account_id, key_id, model, unit, amount FROM ledger_holds LIMIT 1",
    /for request rq-charged-+, which is not open/
  )
  altered(
    "whose hold it is",
    "UPDATE ledger_holds SET key_id = 'another'",
    /is not what the request's submit says/
  )
  altered(
    "what a key has spent",
    "UPDATE ledger_spending SET spent = '1'",
    /what key .+ spent .+ is \$0.000000001/
  )
  altered("the month of what a key has spent", "UPDATE ledger_spending SET month = 0", /is of another month/)
  altered("a key's spending less", "DELETE FROM ledger_spending", /what 0 keys have spent, 1 were charged/)
  altered(
    "a key's spending more",
    "INSERT INTO ledger_spending SELECT account_id, 'another', month, spent FROM ledger_spending",
    /is of a key that was never charged/
  )
  altered("a limit", "UPDATE ledger_limits SET credit_limit = '2000000000'", /limits of acc_\w+beta0/)
})

describe("A manually modified log", () => {
  const altered = (what: string, sql: string, position: string, reason: RegExp) =>
    it.live(`is detected: ${what}`, () =>
      Effect.gen(function* () {
        const directory = yield* copy
        TamperedLog.withDatabase(directory, (db) => db.exec(sql))
        yield* fails(directory, position, "chain", reason)
      }).pipe(Effect.scoped)
    )

  altered(
    "one digit of an amount",
    `UPDATE events SET data = replace(data, '"15000000000"', '"95000000000"') WHERE position = 3`,
    "3",
    /the event does not match its hash/
  )
  altered("a deleted event", "DELETE FROM events WHERE position = 3", "4", /events before it are missing/)
  altered("two events in each other's place", TamperedLog.swap(2, 3), "2", /is missing/)
  altered(
    "a payload that is gone",
    `DELETE FROM payloads WHERE stream = '${AuditedLog.streamOf("charged")}' AND name = 'input'`,
    "9",
    /the payload input is missing/
  )

  it.live("is reported at its first fault, in the chain or the books", () =>
    Effect.gen(function* () {
      const late = `UPDATE events SET data = replace(data, '"attempt":1', '"attempt":9')
        WHERE stream = '${AuditedLog.streamOf("running")}' AND ordinal = 1`
      const directory = yield* copy
      const position = ForgedLog.rewrite(directory, billed("partial", { amount: "1" }))
      TamperedLog.withDatabase(directory, (db) => db.exec(late))
      yield* fails(directory, position, "charge as quoted", /partial/)
      TamperedLog.withDatabase(directory, (db) =>
        db.exec(`DELETE FROM payloads WHERE stream = '${AuditedLog.streamOf("running")}'`)
      )
      yield* fails(directory, position, "charge as quoted", /partial/)
      TamperedLog.withDatabase(directory, (db) =>
        db.exec("UPDATE events SET data = replace(data, 'account', 'accoumt') WHERE position = 1")
      )
      yield* fails(directory, "1", "chain", /hash/)
    }).pipe(Effect.scoped)
  )
})
