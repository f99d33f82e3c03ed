import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { JsonObject } from "#domain/CanonicalJson.ts"
import * as Folder from "#test/support/src/features/manifests/ManifestFolder.ts"

const line = (text: string, field: string, value: unknown): string =>
  text.replace(new RegExp(`^${field}:.*$`, "m"), `${field}: ${JSON.stringify(value)}`)

/** Without the file, and without places. */
const told = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.map((text) => text.replace(/a\.yaml:\d+:\d+: /, ""))

const ofSchema = (properties: JsonObject, more: JsonObject = {}) =>
  Effect.map(
    Folder.check({
      "a.yaml": line(Folder.model("acme/one"), "inputSchema", { type: "object", properties, ...more })
    }),
    ({ lines, names }) => ({ lines: told(lines), names })
  )

const slow = "A repetition within a repetition: a text that is made for it may keep the server busy for long"
const compared =
  "Each item is compared with each other: expected maxItems of at most 1000, or items of a scalar type"

describe("InputChecks", () => {
  it.effect("require an example that can be submitted", () =>
    Effect.gen(function* () {
      const text = line(line(Folder.model("acme/one"), "inputSchema", {}), "exampleInput", ["Hello"])
      const { lines, names } = yield* Folder.check({ "a.yaml": text })
      assert.deepStrictEqual(lines, [
        "a.yaml:10:1: exampleInput: Expected an object: what is submitted is always one"
      ])
      assert.deepStrictEqual(names, [])
    })
  )

  it.effect("reject names that are reserved for requests, models and wrappers", () =>
    Effect.gen(function* () {
      const taken = { type: "object", properties: { who: true, webhook: true, webhook_events_filter: true } }
      const { lines, names } = yield* Folder.check({
        "a.yaml": line(Folder.model("acme/one"), "inputSchema", taken),
        "two.yaml": Folder.model("acme/two"),
        "b.yaml": line(Folder.wrapper("acme/w", "acme/two"), "inputSchema", taken)
      })
      assert.deepStrictEqual(
        lines.map((text) => text.split(": ").slice(0, 3).join(": ")),
        [
          "a.yaml:8:56: inputSchema.properties.webhook: Expected another name",
          "a.yaml:8:71: inputSchema.properties.webhook_events_filter: Expected another name",
          "b.yaml:8:56: inputSchema.properties.webhook: Expected another name",
          "b.yaml:8:71: inputSchema.properties.webhook_events_filter: Expected another name"
        ]
      )
      assert.deepStrictEqual(names, ["acme/two"])
    })
  )

  it.effect("warn about patterns with catastrophic backtracking, anywhere", () =>
    Effect.gen(function* () {
      const { lines, names } = yield* ofSchema(
        { slow: { type: "string", pattern: "^(a+)+$" }, good: { type: "string", pattern: "^[a-z]+$" } },
        {
          $defs: { inner: { patternProperties: { "(b*)*": true } } },
          allOf: [{ properties: { more: { type: "string", pattern: "(c+)+d" } } }]
        }
      )
      assert.sameMembers(Array.from(lines), [
        `warning inputSchema.properties.slow.pattern: ${slow}`,
        `warning inputSchema.$defs.inner.patternProperties["(b*)*"]: ${slow}`,
        `warning inputSchema.allOf[0].properties.more.pattern: ${slow}`
      ])
      assert.deepStrictEqual(names, ["acme/one"])
    })
  )

  it.effect("warn about items that are compared pairwise, unless they are few or scalars", () =>
    Effect.gen(function* () {
      const { lines } = yield* ofSchema({
        any: { type: "array", uniqueItems: true },
        objects: { type: "array", uniqueItems: true, items: { type: "object" }, maxItems: 1_001 },
        mixed: { type: "array", uniqueItems: true, items: { type: ["string", "array"] } },
        few: { type: "array", uniqueItems: true, items: { type: "object" }, maxItems: 1_000 },
        texts: { type: "array", uniqueItems: true, items: { type: ["string", "null"] } },
        alike: { type: "array", uniqueItems: false }
      })
      assert.sameMembers(
        Array.from(lines),
        ["any", "objects", "mixed"].map(
          (name) => `warning inputSchema.properties.${name}.uniqueItems: ${compared}`
        )
      )
    })
  )

  it.effect("ignore property names and data", () =>
    Effect.gen(function* () {
      const { lines } = yield* ofSchema({
        pattern: { type: "string", default: { pattern: "(a+)+" } },
        uniqueItems: true,
        enum: { enum: [{ pattern: "(a+)+", uniqueItems: true }] },
        properties: { examples: [{ pattern: "(a+)+" }] }
      })
      assert.deepStrictEqual(lines, [])
      const named = yield* ofSchema({ enum: { type: "string", pattern: "(a+)+" } })
      assert.deepStrictEqual(named.lines, [`warning inputSchema.properties.enum.pattern: ${slow}`])
    })
  )
})
