/**
 * Every event shape ever released stays readable: one file per shape under `test/fixtures/events/<Category>`, named
 * `<Type>.json` or `<Type>.<variant>.json`. Add files; never change one that was released.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Account from "#domain/account/Account.ts"
import * as Archive from "#domain/archive/Archive.ts"
import * as CanonicalJson from "#domain/CanonicalJson.ts"
import * as Listing from "#domain/catalog/Listing.ts"
import * as Offering from "#domain/catalog/Offering.ts"
import * as DeliveryRecovery from "#domain/delivery-recovery/DeliveryRecovery.ts"
import type { DomainEvent, EncodedEvent, EventCodec } from "#domain/EventCodec.ts"
import * as File from "#domain/file/File.ts"
import * as IdempotencyKey from "#domain/idempotency-key/IdempotencyKey.ts"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import * as LogHeadAcceptance from "#domain/log-head-acceptance/LogHeadAcceptance.ts"
import * as OperatorAction from "#domain/operator-action/OperatorAction.ts"
import * as Operator from "#domain/operator/Operator.ts"
import * as OperatorIdentity from "#domain/operator-identity/OperatorIdentity.ts"
import * as WebhookDelivery from "#domain/webhook-delivery/WebhookDelivery.ts"
import * as WorkerKey from "#domain/worker-key/WorkerKey.ts"

const folder = path.join(import.meta.dirname, "../fixtures/events")
const domain = path.join(import.meta.dirname, "../../domain")

const aggregates: ReadonlyArray<{
  readonly category: string
  readonly read: (encoded: EncodedEvent) => EncodedEvent
  readonly types: ReadonlySet<string>
}> = [
  storage(InferenceRequest.aggregate),
  storage(Account.aggregate),
  storage(IdempotencyKey.aggregate),
  storage(WebhookDelivery.aggregate),
  storage(DeliveryRecovery.aggregate),
  storage(File.aggregate),
  storage(Offering.aggregate),
  storage(Listing.collections),
  storage(Listing.gpus),
  storage(Listing.deploymentTemplates),
  storage(WorkerKey.aggregate),
  storage(Operator.aggregate),
  storage(OperatorAction.aggregate),
  storage(OperatorIdentity.aggregate),
  storage(LogHeadAcceptance.aggregate),
  storage(Archive.aggregate)
]

function storage<Event extends DomainEvent>(aggregate: {
  readonly category: string
  readonly codec: EventCodec<Event>
}) {
  const { category, codec } = aggregate
  return {
    category,
    types: codec.types,
    read: (encoded: EncodedEvent) => codec.encode(codec.decode(encoded))
  }
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
