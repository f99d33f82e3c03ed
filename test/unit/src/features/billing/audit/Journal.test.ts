import { assert, describe, it } from "@effect/vitest"
import { AccountId } from "#domain/Ids.ts"
import { entriesOf } from "#domain/Ledger.ts"
import { NanoUsd } from "#domain/Money.ts"
import * as Journal from "#src/features/billing/audit/Journal.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as StreamName from "#streams/StreamName.ts"
import { trustedVersion } from "#streams/ExpectedVersion.ts"

const accountId = AccountId.make("acc_1")

const booked = (reference: string) => ({
  event: new RecordedEvent({
    position: GlobalPosition.trusted("7"),
    stream: StreamName.make("Account", accountId),
    ordinal: 0,
    version: trustedVersion("1"),
    id: "e1",
    type: "BalanceToppedUp",
    time: 0,
    text: "{}",
    hash: ""
  }),
  accountId,
  requestId: null,
  model: null,
  reference,
  entries: entriesOf({ _tag: "ToppedUp", accountId, amount: NanoUsd.make(1n) }, undefined),
  billing: null
})

/** The field of the reference in the line. */
const field = (reference: string): string =>
  Journal.lines("csv", booked(reference)).slice(
    "1970-01-01T00:00:00.000Z,acc_1,external,acc_1:available,0.000000001,topup,,,".length,
    -",7\r\n".length
  )

describe("The journal as CSV", () => {
  it("quotes delimiters and line breaks", () => {
    assert.strictEqual(field("plain: 7 EUR"), "plain: 7 EUR")
    assert.strictEqual(field(`a "b", c`), `"a ""b"", c"`)
    assert.strictEqual(field("two\nlines"), `"two\nlines"`)
  })

  it("escapes spreadsheet formulas", () => {
    for (const text of ["=1+1", "+1", "-1", "@SUM(A1)", " =1", "＝1", "\t=1"]) {
      assert.strictEqual(field(text), `"'${text}"`)
    }
    assert.strictEqual(field(`=A1,"x"`), `"'=A1,""x"""`)
  })
})

describe("The journal as JSON", () => {
  it("is one line for each entry, without control characters", () => {
    const line = Journal.lines("json", booked("\u001b[31m\u009b\nred"))
    assert.match(line, /^[^\p{Cc}]+\n$/u)
    assert.include(JSON.parse(line), { reference: "\u001b[31m\u009b\nred", amount: "0.000000001" })
  })
})
