import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as CanonicalJson from "#domain/CanonicalJson.ts"
import { trustedVersion } from "#streams/ExpectedVersion.ts"
import { trusted } from "#streams/GlobalPosition.ts"
import * as PayloadRefs from "#streams/PayloadRefs.ts"
import { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as StreamName from "#streams/StreamName.ts"

const refsOf = (data: CanonicalJson.JsonObject) =>
  PayloadRefs.of(
    new RecordedEvent({
      position: trusted("1"),
      stream: StreamName.make("Thing", "a"),
      ordinal: 0,
      version: trustedVersion("0"),
      id: "e1",
      type: "Happened",
      time: 0,
      text: CanonicalJson.stringify(data),
      hash: "h"
    })
  )

const ref = { hash: "BG8uxhm2nXhqOiMlXgmAfmF8tzXmfw1ZGT_4hrdD5Hs", size: 265 }

describe("PayloadRefs", () => {
  it("are those of the field payloads, one or many", () => {
    assert.deepStrictEqual(refsOf({ at: 1, payloads: { input: ref }, zone: "b" }), [["input", ref]])
    assert.deepStrictEqual(refsOf({ payloads: { input: ref, output: { ...ref, size: 1 } } }), [
      ["input", ref],
      ["output", { ...ref, size: 1 }]
    ])
    assert.deepStrictEqual(refsOf({ payloads: { 'a "b" \\': ref } }), [['a "b" \\', ref]])
  })

  it("are empty if the field is missing or has another form", () => {
    for (const data of [
      {},
      { payloads: {} },
      { payloads: "input" },
      { payloads: { input: { hash: "h" } } },
      { note: '{"payloads":{"input":{"hash":"h","size":1}}}' }
    ]) {
      assert.deepStrictEqual(refsOf(data), [])
    }
  })

  it("ignore the field in nested objects, before or after", () => {
    const within = { payloads: { other: ref } }
    assert.deepStrictEqual(refsOf({ billing: within }), [])
    assert.deepStrictEqual(refsOf({ billing: [within] }), [])
    assert.deepStrictEqual(refsOf({ billing: within, payloads: { input: ref } }), [["input", ref]])
    assert.deepStrictEqual(refsOf({ payloads: { input: ref }, quote: within }), [["input", ref]])
  })

  it("are found after any text with quotes, braces and backslashes", () => {
    const text = fc.string({ unit: fc.constantFrom('"', "\\", "{", "}", "a", "ä", "\n", ":", ",") })
    fc.assert(
      fc.property(text, text, (key, value) => {
        const data = { a: { [key]: value, b: [{ [value]: key }] }, payloads: { input: ref } }
        assert.deepStrictEqual(refsOf(data), [["input", ref]])
        assert.deepStrictEqual(refsOf({ a: { ...data.a, payloads: { input: ref } } }), [])
      })
    )
  })
})
