import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as DataUri from "#src/features/media/DataUri.ts"

const reasonOf = (text: string) =>
  Result.match(DataUri.parse(text), { onSuccess: () => "accepted", onFailure: ({ reason }) => reason })

const textOf = (text: string) => Buffer.from(Result.getOrThrow(DataUri.parse(text))).toString("latin1")

describe("DataUri.parse", () => {
  it.each([
    ["data:image/png;base64,AAEC", "\0\u0001\u0002"],
    ["DATA:IMAGE/PNG;BASE64,AA==", "\0"],
    ["data:image/webp;name=cat.webp;base64,YQ==", "a"],
    ["data:image/gif,GIF89a%00%ff!", "GIF89a\0\u00ff!"],
    ["data:;base64,YQ==", "a"],
    ["data:application/octet-stream;base64,YQ==", "a"],
    ["data:,a", "a"]
  ])("reads %s", (uri, expected) => {
    assert.strictEqual(textOf(uri), expected)
  })

  it.each([
    ["data:image/png;base64", "malformed_data_uri"],
    ["data:image/png;base64,", "malformed_data_uri"],
    ["data:image/png;base64,Y", "malformed_data_uri"],
    ["data:image/png;base64,YQ=", "malformed_data_uri"],
    ["data:image/png;base64,YQ===", "malformed_data_uri"],
    ["data:image/png;base64,Y=Q=", "malformed_data_uri"],
    ["data:image/png;base64,Y*==", "malformed_data_uri"],
    ["data:image/png;base64,%59%5", "malformed_data_uri"],
    ["data:image/png;base64,\u00fcYQ", "malformed_data_uri"],
    ["data:image/svg+xml;base64,PHN2Zz4=", "svg"],
    ["data:image/SVG+xml;charset=utf-8,%3Csvg%3E", "svg"]
  ])("rejects %j as %s", (uri, reason) => {
    assert.strictEqual(reasonOf(uri), reason)
  })

  it("reads up to 10 MiB of text and no more", () => {
    const head = "data:image/png;base64,"
    const digits = 10 * 1024 * 1024 - head.length
    const longest = head + "A".repeat(digits - (digits % 4))
    assert.strictEqual(reasonOf(longest), "accepted")
    assert.strictEqual(reasonOf(`${longest}AAAA`), "data_uri_too_long")
  })
})

describe("DataUri.decode", () => {
  it.each([
    ["data:video/mp4;base64,AAEC", "video/mp4", "\0\u0001\u0002"],
    ["data:text/plain;charset=utf-8,a%20b", "text/plain;charset=utf-8", "a b"],
    ["data:,", "text/plain", ""],
    ["data:;base64,YQ==", "text/plain", "a"],
    ["data:;charset=utf-8,a", "text/plain;charset=utf-8", "a"],
    ["data:video,a", "text/plain", "a"],
    ["data:a b,c", "text/plain", "c"]
  ])("reads %s, of any type", (uri, contentType, text) => {
    const decoded = DataUri.decode(uri)
    assert.deepStrictEqual(
      [decoded?.contentType, Buffer.from(decoded?.bytes ?? []).toString()],
      [contentType, text]
    )
  })

  it.each([
    ["with line breaks", "data:text/plain;base64,fn5+\r\nPz8/\nYQ==\n"],
    ["with blanks", "data:text/plain;base64, fn5+ Pz8/ YQ== "],
    ["without padding", "data:text/plain;base64,fn5+Pz8/YQ"],
    ["in the alphabet for URLs", "data:text/plain;base64,fn5-Pz8_YQ=="],
    ["in both alphabets", "data:text/plain;base64,fn5-Pz8/YQ"],
    ["percent-encoded", "data:text/plain;base64,fn5%2BPz8%2fYQ%3D%3D"],
    ["with percent-encoded line breaks", "data:text/plain;base64,fn5%2B%0APz8%2FYQ%3D%3D%0D%0A"],
    ["after a blank before its name", "data:text/plain; base64,fn5+Pz8/YQ=="],
    ["with a fragment", "data:text/plain;base64,fn5+Pz8/YQ==#page=2"]
  ])("reads base64 %s", (_case, uri) => {
    const decoded = DataUri.decode(uri)
    assert.deepStrictEqual(
      [decoded?.contentType, Buffer.from(decoded?.bytes ?? []).toString()],
      ["text/plain", "~~~???a"]
    )
  })

  it.each([
    ["text as UTF-8", "data:,\u00fc%C3%BC", "\u00fc\u00fc"],
    ["blanks in text", "data:,a b", "a b"],
    ["no line breaks in text", "data:,a\r\n\tb", "ab"],
    ["a percent sign without digits", "data:,5%,%4,%zz%", "5%,%4,%zz%"],
    ["no fragment", "data:,a%23#b", "a#"]
  ])("reads %s", (_case, uri, text) => {
    assert.strictEqual(Buffer.from(DataUri.decode(uri)?.bytes ?? []).toString(), text)
  })

  it("keeps the type when a parameter is percent-encoded, quoted or long", () => {
    const types = [
      'text/csv;name="a b.csv"',
      "text/csv;name=a%20b.csv",
      `text/csv;name=${"%C3%BC".repeat(255)}.csv`
    ].map((type) => DataUri.decode(`data:${type};base64,YQ==`)?.contentType)
    assert.deepStrictEqual(types, ['text/csv;name="a b.csv"', "text/csv", "text/csv"])
  })

  it("reads the longest base64 with a line break every 76 characters", () => {
    const bytes = Buffer.alloc(8 * 1024 * 1024, 7)
    const lines = bytes.toString("base64").replace(/.{76}/g, "$&\n")
    assert.isTrue(bytes.equals(DataUri.decode(`data:video/mp4;base64,${lines}`)?.bytes ?? Buffer.alloc(0)))
  })

  it.each(["data:video/mp4;base64,Y", "data:video/mp4", `data:${"a".repeat(5_000)}/b,c`, "https://a/"])(
    "reads nothing from %j",
    (uri) => {
      assert.isNull(DataUri.decode(uri))
    }
  )
})
