import { essenceOf } from "#domain/file/ContentType.ts"
import { assert, describe, it } from "@effect/vitest"
import * as MediaType from "#src/features/media/MediaType.ts"

describe("MediaType.clean", () => {
  it.each([
    ["image/png", "image/png"],
    ["Text/Plain; charset=UTF-8", "Text/Plain; charset=UTF-8"],
    ["image/png\r\nset-cookie: a=b", "application/octet-stream"],
    ["video/webm;codecs=vp9,opus", "video/webm"],
    ["text/plain; charset", "text/plain"],
    ["image", "application/octet-stream"],
    ["image; charset=utf-8", "application/octet-stream"],
    ["", "application/octet-stream"]
  ])("turns %j into %j", (claimed, expected) => {
    assert.strictEqual(MediaType.clean(claimed), expected)
  })
})

describe("MediaType.cleanFileName", () => {
  it.each([
    ["cat.png", "cat.png"],
    ["../../etc/passwd", "passwd"],
    ["C:\\cats\\cat.png", "cat.png"],
    ["a\r\nb\u0000\u202e.png", "ab.png"],
    ["\ud800cat.png", "cat.png"],
    ["👨‍👩‍👧.png", "👨‍👩‍👧.png"],
    ["می‌خواهم.txt", "می‌خواهم.txt"],
    ["..", "file"],
    ["", "file"],
    ["a/", "file"]
  ])("turns %j into %j", (name, expected) => {
    assert.strictEqual(MediaType.cleanFileName(name), expected)
  })

  it("keeps the end of a long name, whole characters only", () => {
    const name = MediaType.cleanFileName(`${"🐈".repeat(1_000)}.png`)
    assert.isAtMost(Buffer.byteLength(name), 255)
    assert.isAbove(Buffer.byteLength(name), 250)
    assert.isTrue(name.endsWith("🐈.png") && name.isWellFormed())
  })
})

describe("essenceOf", () => {
  it("is only the type, in lower case", () => {
    assert.strictEqual(essenceOf("Text/HTML ; charset=UTF-8"), "text/html")
    assert.strictEqual(essenceOf(""), "")
  })
})

describe("MediaType.disposition", () => {
  it.each([
    ["image/png", "inline"],
    ["image/avif", "inline"],
    ["audio/mpeg", "inline"],
    ["video/mp4; codecs=avc1", "inline"],
    ["image/svg+xml", "attachment"],
    ["image/svg+xml; charset=utf-8", "attachment"],
    ["text/html", "attachment"],
    ["Image/SVG+XML", "attachment"],
    ["Image/PNG", "inline"],
    ["application/pdf", "attachment"],
    ["application/octet-stream", "attachment"]
  ])("serves %s as %s", (contentType, kind) => {
    assert.isTrue(MediaType.disposition(contentType, "a").startsWith(`${kind}; `))
  })

  it("quotes the name for old and new clients", () => {
    assert.strictEqual(
      MediaType.disposition("image/png", `ka"tze ü'.png`),
      `inline; filename="ka_tze _'.png"; filename*=UTF-8''ka%22tze%20%C3%BC%27.png`
    )
  })
})
