import { assert, describe, it } from "@effect/vitest"
import * as SniffMedia from "#src/features/media/SniffMedia.ts"

const latin1 = (text: string) => Buffer.from(text, "latin1")
const ebml = (docType: string) =>
  latin1(`\x1aE\xdf\xa3\xa3B\x86\x81\x01B\xf7\x81\x01B\x82\x88${docType}B\x87\x81\x04`)

describe("SniffMedia.fileType", () => {
  it.each<readonly [string, string, Buffer]>([
    ["image/png", "png", latin1("\x89PNG\r\n\x1a\n")],
    ["image/jpeg", "jpg", latin1("\xff\xd8\xff\xe0")],
    ["image/webp", "webp", latin1("RIFF\0\0\0\0WEBPVP8 ")],
    ["image/gif", "gif", latin1("GIF89a")],
    ["image/avif", "avif", latin1("\0\0\0\x20ftypavif")],
    ["image/tiff", "tiff", latin1("II*\0")],
    ["video/mp4", "mp4", latin1("\0\0\0\x20ftypisom")],
    ["video/mp4", "mp4", latin1("\0\0\0\x20ftypmp42")],
    ["audio/mp4", "m4a", latin1("\0\0\0\x20ftypM4A ")],
    ["video/quicktime", "mov", latin1("\0\0\0\x14ftypqt  ")],
    ["video/quicktime", "mov", latin1("\0\0\0\x08wide")],
    ["video/webm", "webm", ebml("webm")],
    ["video/x-matroska", "mkv", ebml("matroska")],
    ["audio/mpeg", "mp3", latin1("ID3\x04\0")],
    ["audio/mpeg", "mp3", latin1("\xff\xfb\x90\x64")],
    ["audio/wav", "wav", latin1("RIFF\0\0\0\0WAVEfmt ")],
    ["audio/ogg", "ogg", latin1("OggS\0\x02")],
    ["video/ogg", "ogv", latin1("OggS\0\x02\0\0\x80theora")],
    ["audio/flac", "flac", latin1("fLaC\0")]
  ])("detects %s (%s), whatever is declared", (contentType, extension, head) => {
    assert.deepStrictEqual(SniffMedia.fileType(head, "text/html"), { contentType, extension })
    assert.deepStrictEqual(SniffMedia.fileType(head, null), { contentType, extension })
  })

  it.each([
    ["Application/JSON", "Application/JSON", "json"],
    ["text/plain; charset=UTF-8", "text/plain; charset=UTF-8", "txt"],
    ["model/gltf-binary", "model/gltf-binary", "glb"],
    ["application/vnd.openxmlformats-officedocument", "application/vnd.openxmlformats-officedocument", "bin"],
    ["image/heic", "image/heic", "heic"]
  ])("accepts the declared %j for unknown bytes", (claimed, contentType, extension) => {
    assert.deepStrictEqual(SniffMedia.fileType(latin1("\0\x01\x02"), claimed), { contentType, extension })
  })

  it.each([
    "text/html",
    "text/html ; charset=utf-8",
    "TEXT/HTML; charset=utf-8",
    "application/xhtml+xml",
    "image/svg+xml",
    "text/xml",
    "application/xml; charset=utf-8",
    "text/javascript",
    "application/ecmascript",
    "text/css",
    "application/wasm",
    "multipart/related",
    "message/rfc822",
    "no type",
    "image/png\r\nset-cookie: a=b",
    null
  ])("replaces the declared %j by plain bytes", (claimed) => {
    for (const head of [latin1("hello"), latin1(""), latin1("\xff\xfe<\0")]) {
      assert.deepStrictEqual(SniffMedia.fileType(head, claimed), {
        contentType: "application/octet-stream",
        extension: "bin"
      })
    }
  })

  it.each(['<?xml version="1.0"?><svg/>', "<svg>", "\ufeff <!-- --><svg/>"])(
    "turns %j into plain bytes",
    (text) => {
      assert.deepStrictEqual(
        SniffMedia.fileType(Buffer.from(text), "image/png").contentType,
        "application/octet-stream"
      )
    }
  )
})
