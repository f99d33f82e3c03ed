/** The messages for a model about invalid arguments, equal in all versions of the protocol. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import * as Arguments from "#src/edges/mcp/tools/Arguments.ts"
import * as ToolRegistration from "#src/edges/mcp/tools/ToolRegistration.ts"
import * as ToolTraits from "#src/edges/mcp/tools/ToolTraits.ts"
import * as ToolClients from "#test/support/src/edges/mcp/tools/ToolClients.ts"

const kit = Toolkit.make(
  Tool.make("order", {
    description: "Orders something.",
    parameters: Schema.Struct({
      name: Arguments.text({ maxLength: 20 }),
      details: Schema.JsonObject,
      note: Arguments.optional(Arguments.text({ minLength: 1, maxLength: 9 })),
      category: Arguments.category,
      count: Arguments.limit,
      weight: Arguments.optional(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 2.5 }))),
      isGift: Arguments.optional(Schema.Boolean),
      labels: Arguments.optional(Schema.Record(Schema.String, Schema.String))
    }),
    success: Schema.Struct({ name: Schema.String })
  }).annotateMerge(ToolTraits.reading),
  Tool.make("look", { description: "Looks.", success: Schema.Struct({ name: Schema.String }) }).annotateMerge(
    ToolTraits.reading
  )
)

const registrations = ToolRegistration.layer(kit).pipe(
  Layer.provide(
    kit.toLayer({
      order: ({ name }) => Effect.succeed({ name }),
      look: () => Effect.succeed({ name: "nothing" })
    })
  )
)

const connect = ToolClients.connect(registrations)

const well = { name: "chair", details: {} }
const takes = "it takes name, details, note, category, count, weight, isGift and labels."
const next = "Correct it and call again."

describe("invalid arguments of a tool", () => {
  it.effect("are reported with the expected and the received type, without their values", () =>
    Effect.gen(function* () {
      const { errorAnswer } = yield* connect
      const lines = (args: object) =>
        Effect.map(errorAnswer("order", { ...args }), (text) => text.split("\n"))
      assert.deepStrictEqual(yield* lines({}), ["`name` is missing.", "`details` is missing.", next])
      assert.deepStrictEqual(
        yield* lines({
          labels: { a: 1 },
          isGift: "sesame",
          weight: 2.6,
          count: 1.5,
          category: "sesame",
          note: "",
          details: JSON.stringify({ a: "sesame" }),
          name: null
        }),
        [
          "`name` must be text of at most 20 characters, not null.",
          "`details` must be an object, not text: pass JSON, not a string that contains it.",
          "`note` must be text of 1 to 9 characters.",
          "`category` must be one of image, video, audio, text and utility.",
          "`count` must be a whole number from 1 to 100.",
          "`weight` must be a number from 0 to 2.5.",
          "`isGift` must be true or false, not text.",
          "`labels` must be an object whose values are text.",
          next
        ]
      )
      assert.deepStrictEqual(
        yield* lines({ ...well, details: [well], count: "5", weight: true, labels: 3, isGift: {} }),
        [
          "`details` must be an object, not a list.",
          "`count` must be a whole number from 1 to 100, not text.",
          "`weight` must be a number from 0 to 2.5, not a boolean.",
          "`isGift` must be true or false, not an object.",
          "`labels` must be an object whose values are text, not a number.",
          next
        ]
      )
    })
  )

  it.effect("are texts with more characters than the schema allows, not more UTF-16 units", () =>
    Effect.gen(function* () {
      const { answer, errorAnswer } = yield* connect
      for (const character of ["a", "é", "😀", "\ud83d"]) {
        const longest = { ...well, name: character.repeat(20), note: character.repeat(9) }
        assert.deepStrictEqual(yield* answer("order", longest), { name: longest.name })
        assert.strictEqual(
          yield* errorAnswer("order", { ...longest, name: `${longest.name}a`, note: `${longest.note}a` }),
          `\`name\` must be text of at most 20 characters.\n\`note\` must be text of 1 to 9 characters.\n${next}`
        )
      }
    })
  )

  it.effect("are reported with the names that the tool accepts", () =>
    Effect.gen(function* () {
      const { answer, errorAnswer } = yield* connect
      assert.strictEqual(
        yield* errorAnswer("order", { ...well, webhook: "sesame" }),
        `\`webhook\` is no argument of order; ${takes}\n${next}`
      )
      assert.strictEqual(
        yield* errorAnswer("order", { name: "chair", details: 1, a: 1, b: 2 }),
        `\`a\` and \`b\` are no arguments of order; ${takes}\n\`details\` must be an object, not a number.\n${next}`
      )
      assert.strictEqual(
        yield* errorAnswer("look", { at: 1 }),
        `\`at\` is no argument of look; it takes none.\n${next}`
      )
      assert.deepStrictEqual(yield* answer("look"), { name: "nothing" })
      assert.deepStrictEqual(yield* answer("order", well), { name: "chair" })
    })
  )

  it.effect("are shown with the beginnings of a few names", () =>
    Effect.gen(function* () {
      const { errorAnswer } = yield* connect
      const names = [
        "a`b\nc",
        "x".repeat(10_000),
        ...Array.from({ length: 10_000 }, (_, index) => `n${index}`)
      ]
      const given = { ...well, ...Object.fromEntries(names.map((name) => [name, "sesame"])) }
      assert.strictEqual(
        yield* errorAnswer("order", given),
        `\`a b c\`, \`${"x".repeat(63)}…\`, \`n0\`, \`n1\`, \`n2\` and 9997 more are no arguments of order; ${takes}\n${next}`
      )
    })
  )

  it.effect.each(["2025-06-18", "2025-03-26"] as const)("are reported in the same words in %s", (version) =>
    Effect.gen(function* () {
      const { errorAnswer } = yield* ToolClients.connect(registrations, version)
      assert.strictEqual(yield* errorAnswer("order", { name: "chair" }), `\`details\` is missing.\n${next}`)
      assert.match(yield* errorAnswer("order", { ...well, webhook: 1 }), /^`webhook` is no argument/)
    })
  )
})
