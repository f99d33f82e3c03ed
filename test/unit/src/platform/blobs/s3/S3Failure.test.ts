import { assert, describe, it } from "@effect/vitest"
import { inspect } from "node:util"
import * as S3Failure from "#src/platform/blobs/s3/S3Failure.ts"

/** In the form that the SDK throws. */
const thrown = (code: string, httpStatusCode?: number, more: object = {}) =>
  Object.assign(new Error(`hunter2 is not authorized on media/hunter2`), {
    name: code,
    ...(httpStatusCode === undefined ? {} : { $metadata: { httpStatusCode, requestId: "tx1" } }),
    ...more
  })

describe("S3Failure.of", () => {
  it.each([
    ["NoSuchBucket", 404, "the bucket does not exist"],
    ["AccessDenied", 403, "S3 does not allow it with these credentials"],
    ["UnknownError", 403, "S3 does not allow it with these credentials"],
    ["SignatureDoesNotMatch", 403, "S3 does not know the credentials"],
    ["InvalidAccessKeyId", 403, "S3 does not know the credentials"],
    ["RequestTimeTooSkewed", 403, "this machine's clock is not that of S3"],
    ["PermanentRedirect", 301, "the bucket is in another region"],
    ["SlowDown", 503, "S3 cannot do it for now"],
    ["InternalError", 500, "S3 cannot do it for now"],
    ["TooManyRequests", 429, "S3 cannot do it for now"],
    ["InvalidArgument", 400, "S3 refuses it"],
    ["CredentialsProviderError", undefined, "there are no credentials for S3"],
    ["TimeoutError", undefined, "S3 cannot be reached"],
    ["TypeError", undefined, "it could not be asked for"]
  ])("reports for %s (%s) that %s", (code, status, why) => {
    const error = S3Failure.of("read a blob", thrown(code, status))
    assert.strictEqual(error.message, `could not read a blob: ${why}`)
    assert.isUndefined(error.isFull)
  })

  it.each(["ECONNREFUSED", "ECONNRESET", "ENOTFOUND", "EAI_AGAIN", "ETIMEDOUT", "CERT_HAS_EXPIRED"])(
    "reports for Node's %s that S3 cannot be reached",
    (code) => {
      const error = S3Failure.of("read a blob", thrown("Error", undefined, { code }))
      assert.strictEqual(error.message, "could not read a blob: S3 cannot be reached")
    }
  )

  it.each([
    ["QuotaExceeded", 403],
    ["XMinioStorageFull", 507],
    ["UnknownError", 507]
  ])("marks %s (%i) as a full store", (code, status) => {
    const error = S3Failure.of("write a blob", thrown(code, status))
    assert.isTrue(error.isFull)
    assert.strictEqual(error.message, "could not write a blob: there is no room left")
  })

  it("keeps code, status and request id of an answer, and drops its text", () => {
    const error = S3Failure.of("read a blob", thrown("AccessDenied", 403, { CanonicalRequest: "hunter2" }))
    const shown = inspect(error, { depth: 9, showHidden: true })
    assert.notInclude(shown, "hunter2")
    assert.strictEqual(String(error.cause), "S3Answer: AccessDenied (HTTP 403, request tx1)")
  })
})
