import { assert, describe, it } from "vitest"
import * as Expectation from "#console/views/models/playground/Expectation.ts"
import * as InputLink from "#console/views/models/playground/InputLink.ts"
import * as LiveOutput from "#console/views/models/playground/LiveOutput.ts"
import * as StartInput from "#console/views/models/playground/StartInput.ts"
import * as Zoom from "#console/views/result/Zoom.ts"

const joined = (kind: LiveOutput.StreamKind, chunks: ReadonlyArray<Parameters<typeof LiveOutput.add>[1]>) =>
  chunks.reduce<LiveOutput.LiveOutput>(LiveOutput.add, LiveOutput.empty(kind)).value

describe("live output", () => {
  it("adds chunks up as the model's stream says", () => {
    assert.strictEqual(joined("text", ["Once", " upon"]), "Once upon")
    assert.deepStrictEqual(joined("items", [1, { a: 2 }]), [1, { a: 2 }])
    assert.deepStrictEqual(joined("last", [{ n: 1 }, { n: 2 }]), { n: 2 })
    assert.strictEqual(
      joined("openai", [
        { choices: [{ delta: { role: "assistant" } }] },
        { choices: [{ delta: { content: "Hel" } }] },
        { choices: [{ delta: { content: "lo" } }] },
        { choices: [], usage: {} }
      ]),
      "Hello"
    )
  })
})

describe("a link to an input", () => {
  it("brings back any text", () => {
    const input = { prompt: "a lighthouse – 灯台 🌊", n: 2, nested: [null, true] }
    const fragment = InputLink.fragmentOf(input)
    assert.match(fragment ?? "", /^#input=[\w-]+$/)
    assert.deepStrictEqual(InputLink.inputOf(fragment ?? ""), input)
  })

  it("is not made of large inputs and of secrets", () => {
    assert.isNull(InputLink.fragmentOf({ image: "x".repeat(5_000) }))
    assert.isNull(InputLink.fragmentOf({ nested: { apiKey: "s3cret" } }))
    assert.isNotNull(InputLink.fragmentOf({ max_tokens: 10 }))
  })

  it("without an input, or with a broken one, is none", () => {
    assert.isUndefined(InputLink.inputOf(""))
    assert.isUndefined(InputLink.inputOf("#input=%%%"))
    assert.isUndefined(InputLink.inputOf("#input=e30x"))
  })
})

describe("what a run is expected to cost and take", () => {
  const estimate = { estimatedCost: "0.0000655360", isMaximum: false, expectedSeconds: 2, expected: null }

  it("is on the button in digits that say something", () => {
    assert.strictEqual(Expectation.runLabel(null), "Run")
    assert.strictEqual(Expectation.runLabel(estimate), "Run · about $0.0000655")
    assert.strictEqual(
      Expectation.runLabel({ ...estimate, estimatedCost: "0.003", isMaximum: true }),
      "Run · at most $0.003"
    )
    assert.strictEqual(Expectation.runLabel({ ...estimate, estimatedCost: "12.3456" }), "Run · about $12.34")
    assert.strictEqual(Expectation.runLabel({ ...estimate, estimatedCost: "0" }), "Run · free")
  })

  it("is told with the wait", () => {
    const expected = { p50Seconds: 4.2, p90Seconds: 9, waitSeconds: 30 }
    assert.strictEqual(
      Expectation.waitText({ ...estimate, expected }),
      "Usually takes 4 s, after a wait of about 30 s."
    )
    assert.strictEqual(Expectation.waitText(estimate), "Usually takes 2 s, and starts at once.")
    assert.include(
      Expectation.waitText({ ...estimate, expected: { ...expected, waitSeconds: null } }),
      "No run can begin now"
    )
  })
})

describe("the playground", () => {
  it("begins with the example, and empties to what the schema fixes", () => {
    const schema = { required: ["kind"], properties: { kind: { const: "photo" }, size: { default: 1 } } }
    assert.deepStrictEqual(StartInput.of(schema, { kind: "photo", size: 2 }), { kind: "photo", size: 2 })
    assert.deepStrictEqual(StartInput.empty(schema), { kind: "photo" })
  })
})

describe("a picture that is zoomed", () => {
  it("keeps the point under the pointer, and is never smaller than the whole", () => {
    const zoomed = Zoom.at(Zoom.whole, { x: 100, y: -50 }, 2)
    assert.deepStrictEqual(zoomed, { scale: 2, x: -100, y: 50 })
    assert.deepStrictEqual(Zoom.at(zoomed, { x: 0, y: 0 }, 0.1), Zoom.whole)
    assert.deepStrictEqual(Zoom.moved(Zoom.whole, 10, 10), Zoom.whole)
  })
})
