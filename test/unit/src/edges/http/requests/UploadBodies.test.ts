import { assert, describe, it } from "@effect/vitest"
import { type Array as Arrays, Result } from "effect"
import type { JsonObject } from "#domain/CanonicalJson.ts"
import * as AnnouncedUpload from "#src/edges/api/files/AnnouncedUpload.ts"
import * as CompleteUpload from "#src/edges/api/files/CompleteUpload.ts"
import type { Part } from "#src/platform/blobs/Part.ts"
import type { Parsed } from "#src/edges/http/requests/Parsed.ts"
import { parsePartNumber } from "#src/edges/api/files/GetPartUrl.ts"

type At = readonly [path: string, code: string]

const issuesOf = (parsed: Parsed<unknown>): Array<At> =>
  Result.isFailure(parsed) ? parsed.failure.map(({ code, path }) => [path.join("."), code]) : []

const announce = (body: JsonObject) => Result.map(AnnouncedUpload.body.check(body), AnnouncedUpload.announced)

const completed = (body: JsonObject) => Result.flatMap(CompleteUpload.body.check(body), CompleteUpload.parse)

const file = { file_name: "cat.png", content_type: "image/png" }

describe("an announced upload", () => {
  it.each([
    [file, { fileName: "cat.png", contentType: "image/png", size: null }],
    [
      { ...file, size: 0 },
      { fileName: "cat.png", contentType: "image/png", size: 0 }
    ],
    [
      { ...file, size: null },
      { fileName: "cat.png", contentType: "image/png", size: null }
    ],
    [
      { ...file, size: Number.MAX_SAFE_INTEGER, content_type: "Text/Plain; charset=utf-8" },
      { fileName: "cat.png", contentType: "Text/Plain; charset=utf-8", size: Number.MAX_SAFE_INTEGER }
    ],
    [
      { ...file, file_name: "../../etc/passwd\u0000", lifecycle: { ttl: 1 } },
      { fileName: "../../etc/passwd\u0000", contentType: "image/png", size: null }
    ],
    [
      { ...file, file_name: "😀".repeat(1024) },
      { fileName: "😀".repeat(1024), contentType: "image/png", size: null }
    ]
  ])("is accepted, with its name: %j", (body, announced) => {
    assert.deepStrictEqual(announce(body), Result.succeed(announced))
  })

  it.each<readonly [JsonObject, Array<At>]>([
    [
      {},
      [
        ["file_name", "required"],
        ["content_type", "required"]
      ]
    ],
    [{ ...file, file_name: "" }, [["file_name", "minLength"]]],
    [{ ...file, file_name: "x".repeat(1025) }, [["file_name", "maxLength"]]],
    [{ ...file, file_name: null }, [["file_name", "type"]]],
    [{ ...file, content_type: 1 }, [["content_type", "type"]]],
    [{ ...file, content_type: "x".repeat(2000) }, [["content_type", "maxLength"]]],
    [{ ...file, size: "1" }, [["size", "type"]]],
    [{ ...file, size: 1.5 }, [["size", "type"]]],
    [{ ...file, size: -1 }, [["size", "minimum"]]],
    [{ ...file, size: 2 ** 53 }, [["size", "maximum"]]],
    [
      { content_type: "png", size: -1 },
      [
        ["file_name", "required"],
        ["size", "minimum"],
        ["content_type", "format"]
      ]
    ]
  ])("is rejected: %j", (body, issues) => {
    assert.sameDeepMembers(issuesOf(announce(body)), issues)
  })

  it.each([
    "",
    "png",
    "image/",
    "/png",
    "image/png ",
    "image /png",
    "image/png;",
    "image/png\r\nx: y",
    "*/*/*"
  ])("rejects the content type %j without repeating it", (content_type) => {
    const parsed = announce({ ...file, content_type })
    assert.deepStrictEqual(issuesOf(parsed), [["content_type", "format"]])
    assert.deepInclude(Result.isFailure(parsed) ? parsed.failure[0] : {}, {
      message: "must be a media type such as image/png"
    })
  })
})

const upload = { uploadId: "mpu_1", uploadKey: "Zm9vYmFyYmF6cXV4cXV1eDEy" }
const complete = (...parts: ReadonlyArray<JsonObject>): JsonObject => ({ ...upload, parts: [...parts] })

describe("a list of uploaded parts", () => {
  it("preserves the order of the parts, and ignores quotes, weak tags and other fields", () => {
    const body = {
      ...complete(
        { partNumber: 2, etag: '"b"', size: 1 },
        { partNumber: 1, etag: "a" },
        { partNumber: 3, etag: 'W/"c"' },
        { partNumber: 4, etag: "W/d" },
        { partNumber: 10_000, etag: `W/"${"e".repeat(128)}"` }
      ),
      more: true
    }
    const parts: Arrays.NonEmptyReadonlyArray<Part> = [
      { partNumber: 2, etag: "b" },
      { partNumber: 1, etag: "a" },
      { partNumber: 3, etag: "c" },
      { partNumber: 4, etag: "W/d" },
      { partNumber: 10_000, etag: "e".repeat(128) }
    ]
    assert.deepStrictEqual(completed(body), Result.succeed({ ...upload, parts }))
  })

  it("has at most 10,000 parts", () => {
    const parts = Array.from({ length: 10_001 }, (_, index) => ({ partNumber: index + 1, etag: "a" }))
    assert.deepStrictEqual(issuesOf(completed(complete(...parts.slice(0, -1)))), [])
    assert.deepStrictEqual(issuesOf(completed(complete(...parts))), [
      ["parts", "maxItems"],
      ["parts.10000.partNumber", "maximum"]
    ])
  })

  it.each<readonly [JsonObject, Array<At>]>([
    [
      {},
      [
        ["uploadId", "required"],
        ["uploadKey", "required"],
        ["parts", "required"]
      ]
    ],
    [complete(), [["parts", "minItems"]]],
    [{ ...complete({ partNumber: 1, etag: "a" }), uploadKey: "" }, [["uploadKey", "minLength"]]],
    [{ ...upload, parts: {} }, [["parts", "type"]]],
    [
      complete({}),
      [
        ["parts.0.partNumber", "required"],
        ["parts.0.etag", "required"]
      ]
    ],
    [complete({ partNumber: 0, etag: "a" }), [["parts.0.partNumber", "minimum"]]],
    [complete({ partNumber: 1.5, etag: "a" }), [["parts.0.partNumber", "type"]]],
    [complete({ partNumber: "1", etag: "a" }), [["parts.0.partNumber", "type"]]],
    [complete({ partNumber: 1, etag: "" }), [["parts.0.etag", "minLength"]]],
    [complete({ partNumber: 1, etag: '""' }), [["parts.0.etag", "minLength"]]],
    [complete({ partNumber: 1, etag: "e".repeat(129) }), [["parts.0.etag", "maxLength"]]],
    [complete({ partNumber: 1, etag: 'W/""' }), [["parts.0.etag", "minLength"]]],
    [complete({ partNumber: 1, etag: "e".repeat(133) }), [["parts.0.etag", "maxLength"]]],
    [
      complete(
        { partNumber: 1, etag: "a" },
        { partNumber: 2, etag: "a" },
        { partNumber: 1, etag: "b" },
        { partNumber: 1, etag: "a" }
      ),
      [
        ["parts.2.partNumber", "uniqueItems"],
        ["parts.3.partNumber", "uniqueItems"]
      ]
    ]
  ])("is rejected: %j", (body, issues) => {
    assert.sameDeepMembers(issuesOf(completed(body)), issues)
  })
})

describe("the number of a part", () => {
  it.each(["1", "10000"])("is valid: %s", (text) => {
    assert.deepStrictEqual(parsePartNumber(text), Result.succeed(Number(text)))
  })

  it.each(["", "0", "10001", "-1", "+1", "01", "1.0", "1e1", " 1", "0x1", "٣", "one"])(
    "is invalid: %j",
    (text) => {
      assert.deepStrictEqual(issuesOf(parsePartNumber(text)), [["partNumber", "range"]])
    }
  )
})
