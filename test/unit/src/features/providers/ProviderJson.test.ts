import * as zlib from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as ProviderJson from "#src/features/providers/ProviderJson.ts"

const faultOf = (body: string | Uint8Array, contentType?: string, encoding?: string) =>
  Result.getOrNull(Result.flip(ProviderJson.parse(Buffer.from(body), { contentType, encoding })))

describe("ProviderJson", () => {
  it("parses JSON, also after a byte order mark", () => {
    assert.deepStrictEqual(ProviderJson.parse(Buffer.from('\uFEFF{"a":1}')), Result.succeed({ a: 1 }))
    assert.isNull(ProviderJson.faultIn('{"a":1}'))
  })

  it.each([
    ['{"output":{"score":NaN}}', "application/json", "not JSON: NaN at /output/score"],
    ["<!DOCTYPE html><p>Busy</p>", "text/html; charset=utf-8", "HTML, not JSON (text/html)"],
    ["\n<html>", undefined, "HTML, not JSON"],
    ["<?xml version='1.0'?>", "application/xml", "markup, not JSON (application/xml)"],
    ["Service started", "text/plain", "text, not JSON (text/plain)"],
    ["", "application/json", "empty, not JSON"],
    ['{"output":', undefined, "not JSON: its end at /output"],
    [Buffer.from([0xff, 0xd8, 0xff, 0xe0]), "image/jpeg", "not UTF-8 (image/jpeg)"],
    [zlib.gzipSync("{}"), "application/json", "gzip without a Content-Encoding, not JSON"],
    ["[".repeat(200) + "]".repeat(200), undefined, "JSON of more than 128 levels"]
  ])("says what %j is, and where it breaks JSON", (body, contentType, expected) => {
    assert.strictEqual(faultOf(body, contentType), expected)
  })

  it("names a coding that is not supported, and nothing that a header should not have", () => {
    assert.strictEqual(faultOf("?", undefined, "compress"), "encoded as compress, which is not supported")
    assert.strictEqual(faultOf("<html>", "\u001b[31m evil"), "HTML, not JSON")
  })
})
