/** A plan writes the same as the schema's encoder, or leaves the value to it. */
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Option, Schema } from "effect"
import type { Json, JsonObject } from "#domain/CanonicalJson.ts"
import * as EncodePlan from "#domain/EncodePlan.ts"
import * as Event from "#domain/inference-request/Event.ts"

const members = [
  Event.RequestSubmitted,
  Event.DispatchStarted,
  Event.ProviderAccepted,
  Event.RunTakenOver,
  Event.RequestStarted,
  Event.ProgressReported,
  Event.OutputReceived,
  Event.OutputRejected,
  Event.RequestCompleted,
  Event.RequestFailed,
  Event.CancelRequested,
  Event.RequestCancelled,
  Event.RequestRequeued,
  Event.LateOutcomeIgnored
] as const

const folder = path.join(import.meta.dirname, "../../fixtures/events/InferenceRequest")

/** Every released shape, as it is in memory. */
const eventsOf = (type: string): ReadonlyArray<unknown> =>
  fs
    .readdirSync(folder)
    .filter((file) => file.startsWith(`${type}.`))
    .map((file) => Event.codec.decode(JSON.parse(fs.readFileSync(path.join(folder, file), "utf8"))))

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const wrong = [undefined, null, "text", "", 1.5, Number.NaN, -1, 5n, true, [], [7], {}, { a: 7 }]

/** The value with one part, at any depth, replaced by any value that a provider might send. */
const damaged = (value: unknown): ReadonlyArray<unknown> => {
  if (!isObject(value)) return wrong
  const parts = Object.entries(value).flatMap(([name, part]) => {
    const { [name]: _, ...without } = value
    return [without, ...damaged(part).map((other) => ({ ...value, [name]: other }))]
  })
  return [...wrong, { ...value, more: 1 }, ...parts]
}

describe("An encode plan", () => {
  for (const member of members) {
    const type = member.fields._tag.schema.literal
    const plan = EncodePlan.make(member)
    const encode = Schema.encodeUnknownOption(member)

    it(`encodes every value of ${type} as its encoder does`, () => {
      const events = eventsOf(type)
      assert.isNotEmpty(events)
      for (const event of events) {
        assert.deepStrictEqual(plan(event), Option.getOrThrow(encode(event)))
        for (const other of damaged(event)) {
          const planned = plan(other)
          if (planned !== undefined) assert.deepStrictEqual(planned, Option.getOrThrow(encode(other)))
        }
      }
    })
  }

  it("omits the named properties", () => {
    const plan = EncodePlan.without(Event.RequestStarted, ["_tag", "at"])
    assert.deepStrictEqual(plan({ _tag: "RequestStarted", at: 7, attempt: 1 }), { attempt: 1 })
  })

  const leaves = (schema: Schema.Top, value: unknown) => assert.isUndefined(EncodePlan.make(schema)(value))

  it("leaves unsupported schemas to the encoder", () => {
    leaves(Schema.NumberFromString, 7)
    leaves(Schema.Struct({ at: Schema.Date }), { at: new Date(0) })
    leaves(Schema.Tuple([Schema.String]), ["a"])
    leaves(Schema.Record(Schema.String.check(Schema.isMinLength(1)), Schema.String), { a: "a" })
    leaves(Schema.Struct({ constructor: Schema.String }), { constructor: "a" })
  })

  it("leaves a key that no object can store to the encoder", () => {
    const labels: JsonObject = JSON.parse('{"__proto__":"a"}')
    leaves(Schema.Record(Schema.String, Schema.String), labels)
  })

  it("takes the first member of a union that fits", () => {
    const plan = EncodePlan.make(Schema.Union([Schema.BigIntFromString, Schema.String, Schema.Null]))
    const written: ReadonlyArray<Json | undefined> = [plan(5n), plan("a"), plan(null), plan(7)]
    assert.deepStrictEqual(written, ["5", "a", null, undefined])
  })

  it("leaves a value that breaks a check to the encoder", () => {
    leaves(Schema.String.check(Schema.isMinLength(2)), "a")
    leaves(Schema.Struct({ a: Schema.Int }).check(Schema.makeFilter(({ a }) => a > 7)), { a: 7 })
  })
})
