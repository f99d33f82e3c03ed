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
    ["data:image/gif,GIF89a%00%ff!", "GIF89a\0\u00ff!"]
  ])("reads %s", (uri, expected) => {
    assert.strictEqual(textOf(uri), expected)
  })

  it.each([
    ["data:text/html;base64,YQ==", "malformed_data_uri"],
    ["data:,a", "malformed_data_uri"],
    ["data:image/png;base64", "malformed_data_uri"],
    ["data:image/png;base64,", "malformed_data_uri"],
    ["data:image/png;base64,YQ", "malformed_data_uri"],
    ["data:image/png;base64,YQ= =", "malformed_data_uri"],
    ["data:image/png;base64,Y_-=", "malformed_data_uri"],
    ["data:image/png;base64,YQ==\n", "malformed_data_uri"],
    ["data:image/png,%4", "malformed_data_uri"],
    ["data:image/png,%zz", "malformed_data_uri"],
    ["data:image/png,a b", "malformed_data_uri"],
    ["data:image/png,\u00fc", "malformed_data_uri"],
    ["data:image/svg+xml;base64,PHN2Zz4=", "svg"]
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
    ["data:;base64,YQ==", "text/plain", "a"]
  ])("reads %s, of any type", (uri, contentType, text) => {
    const decoded = DataUri.decode(uri)
    assert.deepStrictEqual(
      [decoded?.contentType, Buffer.from(decoded?.bytes ?? []).toString()],
      [contentType, text]
    )
  })

  it.each([
    "data:video/mp4;base64,YQ",
    "data:video/mp4",
    "data:a b,",
    `data:${"a".repeat(600)}/b,c`,
    "https://a/"
  ])("reads nothing from %j", (uri) => {
    assert.isNull(DataUri.decode(uri))
  })
})
