/** How errors of the file services are reported to clients. */
import { assert, describe, it } from "@effect/vitest"
import {
  AlreadyUploaded,
  FileForbidden,
  FileGone,
  FileNotFound,
  FileTooLarge,
  QuotaExceeded
} from "#src/features/media/storage/FileErrors.ts"
import {
  BodyRefused,
  ContentTypeMismatch,
  TooManyUploads,
  UrlRefused
} from "#src/features/media/storage/Reception.ts"
import { PartsRefused } from "#src/features/media/storage/UploadStore.ts"
import { toErrorAnswer } from "#src/edges/http/ServiceErrors.ts"
import * as PartsView from "#src/edges/api/files/PartsView.ts"
import { BlobStoreError } from "#streams/BlobStore.ts"

const full = new BlobStoreError({ reason: "no space", isFull: true })

describe("an error of the files", () => {
  it.each([
    [new FileNotFound(), 404, undefined],
    [new FileForbidden(), 403, undefined],
    [new FileGone(), 410, { code: "FILE_GONE" }],
    [new AlreadyUploaded(), 409, { code: "UPLOAD_COMPLETED" }],
    [new AlreadyUploaded({ fileUrl: "x:y" }), 409, { code: "UPLOAD_COMPLETED", fileUrl: "x:y" }],
    [new FileTooLarge({ limit: 5 }), 413, { code: "FILE_TOO_LARGE", limit: 5 }],
    [new QuotaExceeded({ limit: 5, used: 4 }), 413, { code: "QUOTA_EXCEEDED", limit: 5, used: 4 }],
    [new UrlRefused({ reason: "not_signed" }), 403, { code: "URL_NOT_SIGNED" }],
    [new UrlRefused({ reason: "signature_mismatch" }), 403, { code: "SIGNATURE_MISMATCH" }],
    [new UrlRefused({ reason: "expired" }), 403, { code: "URL_EXPIRED" }],
    [
      new ContentTypeMismatch({ declared: "image/png", sent: "text/csv" }),
      403,
      { code: "CONTENT_TYPE_MISMATCH" }
    ],
    [new BodyRefused({ reason: "wrong_size" }), 400, { code: "SIZE_MISMATCH" }],
    [new BodyRefused({ reason: "digest_mismatch" }), 400, { code: "DIGEST_MISMATCH" }],
    [new BodyRefused({ reason: "broken_off" }), 400, undefined],
    [new BodyRefused({ reason: "timeout" }), 408, undefined],
    [full, 507, { code: "STORAGE_FULL" }],
    [new BlobStoreError({ reason: "no route" }), 503, undefined]
  ] as const)("%s is answered with %i %j", (error, status, details) => {
    const errorAnswer = toErrorAnswer(error)
    assert.strictEqual(errorAnswer.status, status)
    assert.deepStrictEqual(errorAnswer.details, details)
  })

  it("of too many uploads has a Retry-After", () => {
    const { headers, status } = toErrorAnswer(new TooManyUploads({ retryAfterSeconds: 7 }))
    assert.deepStrictEqual([status, headers], [503, { "retry-after": "7" }])
  })
})

const named = [2, 1, 7].map((partNumber) => ({ partNumber, etag: "a" }))

describe("rejected parts", () => {
  it.each([
    ["missing", [1, 3], [["parts", 1], ["parts"]]],
    ["not_named", [9], [["parts"]]],
    [
      "etag_mismatch",
      [2, 7],
      [
        ["parts", 0, "etag"],
        ["parts", 2, "etag"]
      ]
    ],
    ["too_small", [1], [["parts", 1]]],
    ["wrong_size", [1, 2, 7], [["parts"]]]
  ] as const)(
    "that are %s have issues at their positions, with their numbers",
    (reason, partNumbers, paths) => {
      const { details, error, status } = PartsView.errorAnswer(
        new PartsRefused({ reason, partNumbers }),
        named
      )
      assert.strictEqual(status, 400)
      assert.deepStrictEqual(details, { code: "PARTS_REFUSED", reason, partNumbers })
      const issues = typeof error === "string" ? [] : error
      assert.deepStrictEqual(
        issues.map(({ code, path }) => ({ code, path })),
        paths.map((path) => ({ code: reason, path: [...path] }))
      )
    }
  )

  it("have at most 1,000 issues, with all their numbers", () => {
    const partNumbers = Array.from({ length: 9_999 }, (_, index) => index + 1)
    const { details, error } = PartsView.errorAnswer(
      new PartsRefused({ reason: "missing", partNumbers }),
      named
    )
    assert.lengthOf(error, 1_000)
    assert.deepStrictEqual(details?.["partNumbers"], partNumbers)
  })
})
