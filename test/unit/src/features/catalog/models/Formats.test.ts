import { assert, describe, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import * as Formats from "#src/features/catalog/models/Formats.ts"

const ajv = new Ajv2020({ logger: false })
Formats.addTo(ajv)

const isOf = (format: string, text: string): boolean => ajv.validate({ type: "string", format }, text)

const megabytes = 10 * 1024 * 1024

describe("Formats", () => {
  it.each([
    ["uri", "https://example.com/a", "no uri"],
    ["uri", "data:text/plain,a", "/a"],
    ["uri", "https://example.com/a b/ü?q=日本#€", "example.com/a b"],
    ["uri", "https://bücher.example/", "//bücher.example/"],
    ["uri", "data:image/png;base64, YQ\n==", "https://a b/"],
    ["uri-reference", "https://example.com/a b", "/a b"],
    ["byte", "YQ==", "YQ="],
    ["email", "a@example.com", "a"],
    ["date-time", "2026-01-01T00:00:00Z", "today"],
    ["json-pointer", "/a", "a"]
  ])("%s accepts %j and not %j", (format, good, bad) => {
    assert.deepStrictEqual([isOf(format, good), isOf(format, bad)], [true, false])
  })

  it.each([
    ["uri", `data:image/png;base64,${"A".repeat(megabytes)}`],
    ["uri", `data:image/png;base64,\n${"AAA\n".repeat(megabytes / 4)}`],
    ["uri-reference", `data:,${"/a".repeat(megabytes / 2)}`],
    ["byte", "A".repeat(megabytes)]
  ])("%s accepts a file of megabytes", (format, text) => {
    assert.isTrue(isOf(format, text))
    assert.isFalse(isOf(format, `.${text}`))
  })

  it.each([
    ["uri", "https://example.com", "/a"],
    ["uri-reference", "", "/a"],
    ["uri-template", "", "{a}"],
    ["email", "", "a."],
    ["json-pointer", "", "/a"],
    ["json-pointer-uri-fragment", "#", "/a"]
  ])("%s rejects any other text of megabytes", (format, head, rest) => {
    assert.isFalse(isOf(format, head + rest.repeat(megabytes / 2)))
  })
})
