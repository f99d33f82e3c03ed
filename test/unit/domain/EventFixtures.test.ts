/**
 * Every event shape ever released stays readable: one file per shape under `test/fixtures/events/<Category>`, named
 * `<Type>.json` or `<Type>.<variant>.json`. Add files; never change one that was released.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as AllAggregates from "#domain/AllAggregates.ts"
import * as CanonicalJson from "#domain/CanonicalJson.ts"
import type { DomainEvent, EncodedEvent, EventCodec } from "#domain/EventCodec.ts"

const folder = path.join(import.meta.dirname, "../../fixtures/events")
const domain = path.join(import.meta.dirname, "../../../domain")

const aggregates = AllAggregates.all.map((aggregate) => ({
  category: aggregate.category,
  types: aggregate.codec.types,
  read: rewritten(aggregate.codec as EventCodec<DomainEvent>)
}))

function rewritten({ decode, encode }: EventCodec<DomainEvent>) {
  return (encoded: EncodedEvent) => encode(decode(encoded))
}

const Record = Schema.Struct({
  type: Schema.String,
  time: Schema.Int,
  data: Schema.Record(Schema.String, Schema.Json)
})
const decodeRecord = Schema.decodeUnknownSync(Schema.fromJsonString(Record))

const fixtures = (category: string) =>
  fs.readdirSync(path.join(folder, category)).map((file) => ({
    file,
    record: decodeRecord(fs.readFileSync(path.join(folder, category, file), "utf8"))
  }))

describe("The events on the log", () => {
  for (const { category, types, read } of aggregates) {
    it(`of ${category} are decoded in every released shape`, () => {
      for (const { file, record } of fixtures(category)) {
        const again = read(record)
        assert.strictEqual(again.type, record.type, file)
        assert.strictEqual(again.time, record.time, file)
        assert.strictEqual(CanonicalJson.stringify(again.data), CanonicalJson.stringify(record.data), file)
      }
    })

    it(`of ${category} have a fixture for every type, named by it`, () => {
      const names = fixtures(category).map(({ file, record }) => {
        assert.match(file, new RegExp(`^${record.type}(\\.[a-z-]+)?\\.json$`))
        return record.type
      })
      assert.deepStrictEqual([...new Set(names)].sort(), [...types].sort())
    })
  }

  it("of every aggregate are covered", () => {
    const categories = fs
      .globSync("*/*.ts", { cwd: domain })
      .flatMap((file) => [...fs.readFileSync(path.join(domain, file), "utf8").matchAll(/category: "(\w+)"/g)])
      .map(([, category]) => category)
    assert.deepStrictEqual(categories.sort(), aggregates.map(({ category }) => category).sort())
    assert.deepStrictEqual(fs.readdirSync(folder).sort(), categories.sort())
  })
})
