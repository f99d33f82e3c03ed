import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as EventCodec from "#domain/EventCodec.ts"

const Made = Schema.TaggedStruct("Made", {
  at: Schema.Int,
  amount: Schema.BigIntFromString,
  note: Schema.optionalKey(Schema.String),
  labels: Schema.Record(Schema.String, Schema.String)
})
const codec = EventCodec.make([Made, Schema.TaggedStruct("Gone", { at: Schema.Int })])

describe("An event codec", () => {
  it("stores type and time beside the data", () => {
    assert.deepStrictEqual(codec.encode({ _tag: "Made", at: 7, amount: 5n, labels: {} }), {
      type: "Made",
      time: 7,
      data: { amount: "5", labels: {} }
    })
    assert.deepStrictEqual(codec.encode({ _tag: "Gone", at: 8 }), { type: "Gone", time: 8, data: {} })
  })

  it("decodes an event that it encoded", () => {
    const event = { _tag: "Made", at: 7, amount: 5n, note: "x", labels: { a: "b" } } as const
    assert.deepStrictEqual(codec.decode(codec.encode(event)), event)
  })

  it("recognizes its types", () => {
    assert.deepStrictEqual([...codec.types], ["Made", "Gone"])
  })

  it("writes only fields of the schema", () => {
    const event = { _tag: "Gone", at: 8, secret: "x" } as const
    assert.deepStrictEqual(codec.encode(event).data, {})
  })

  it("ignores a field that a later release added", () => {
    assert.deepStrictEqual(codec.decode({ type: "Gone", time: 8, data: { later: 1 } }), {
      _tag: "Gone",
      at: 8
    })
  })

  it("reads type and time from the record, not from the data", () => {
    const data = { _tag: "Made", at: 1 }
    assert.deepStrictEqual(codec.decode({ type: "Gone", time: 8, data }), { _tag: "Gone", at: 8 })
  })

  it("rejects an unknown type, and data that no release wrote", () => {
    assert.throws(() => codec.decode({ type: "Unknown", time: 8, data: {} }), /Unknown event type/)
    assert.throws(() => codec.decode({ type: "Made", time: 8, data: { amount: "x", labels: {} } }))
    assert.throws(() => codec.decode({ type: "Made", time: 8, data: {} }))
  })

  it("keeps a client's metadata key whatever its name", () => {
    const labels: Record<string, string> = JSON.parse('{"__proto__":"a","constructor":"b"}')
    const event = { _tag: "Made", at: 7, amount: 5n, labels } as const
    assert.strictEqual(JSON.stringify(codec.encode(event).data["labels"]), JSON.stringify(labels))
    const read = codec.decode(codec.encode(event))
    assert.strictEqual(JSON.stringify(read._tag === "Made" && read.labels), JSON.stringify(labels))
  })
})
