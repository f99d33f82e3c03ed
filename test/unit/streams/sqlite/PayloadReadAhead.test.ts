import { assert, describe, it } from "@effect/vitest"
import * as Database from "#streams/sqlite/Database.ts"
import * as PayloadReadAhead from "#streams/sqlite/PayloadReadAhead.ts"
import * as Reads from "#streams/sqlite/Reads.ts"
import * as Schema from "#streams/sqlite/Schema.ts"
import * as StreamName from "#streams/StreamName.ts"

const stream = (number: number) => StreamName.make("Thing", String(number))

/** A payload record `input` for each of the streams, in their order. */
const recordsOf = (streams: ReadonlyArray<number>) => {
  const db = Database.open({ filename: ":memory:", synchronous: "NORMAL" })
  Schema.prepare(db)
  const insert = db.prepare("INSERT INTO payloads VALUES (?, 'input', 'salt', ?, 2, '{}', NULL)")
  for (const number of streams) insert.run(stream(number), `hash ${number}`)
  return PayloadReadAhead.make(Reads.make(db))
}

const many = Array.from({ length: 1_200 }, (_, index) => index)

describe("PayloadReadAhead", () => {
  it("returns every record in the order of the appends, over many pages", () => {
    const ahead = recordsOf(many)
    for (const number of many) assert.strictEqual(ahead(stream(number), "input")?.hash, `hash ${number}`)
    assert.isUndefined(ahead(stream(0), "input"))
  })

  it("returns records after skipped ones", () => {
    const ahead = recordsOf(many)
    for (const number of many.filter((number) => number % 10 === 9)) {
      assert.strictEqual(ahead(stream(number), "input")?.hash, `hash ${number}`)
    }
  })

  it("skips a missing record and continues with the next", () => {
    const ahead = recordsOf([1, 3])
    assert.strictEqual(ahead(stream(1), "input")?.hash, "hash 1")
    assert.isUndefined(ahead(stream(2), "input"))
    assert.isUndefined(ahead(stream(3), "output"))
    assert.strictEqual(ahead(stream(3), "input")?.hash, "hash 3")
  })
})
