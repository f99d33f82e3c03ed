import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as S3Options from "#src/platform/blobs/s3/S3Options.ts"

const parsed = (text: string) => Result.getOrThrow(S3Options.parse(text))

describe("S3Options.parse", () => {
  it("treats a bare bucket as one at AWS", () => {
    assert.deepStrictEqual(parsed("s3://my.bucket-1"), {
      bucket: "my.bucket-1",
      endpoint: null,
      publicEndpoint: null,
      region: null,
      prefix: null,
      forcePathStyle: false
    })
    assert.deepStrictEqual(parsed("s3://bucket/"), parsed("s3://bucket"))
    assert.deepStrictEqual(parsed("s3://bucket?"), parsed("s3://bucket"))
  })

  it("accepts all options", () => {
    const text =
      "s3://bucket?endpoint=http://10.0.0.1:9000&publicEndpoint=https://s3.example.com/base&region=eu-1&prefix=a/b.c&forcePathStyle=false"
    assert.deepStrictEqual(parsed(text), {
      bucket: "bucket",
      endpoint: "http://10.0.0.1:9000",
      publicEndpoint: "https://s3.example.com/base",
      region: "eu-1",
      prefix: "a/b.c",
      forcePathStyle: false
    })
  })

  it("puts the bucket into the path for servers other than AWS, unless configured otherwise", () => {
    assert.isTrue(parsed("s3://bucket?endpoint=http://127.0.0.1:1").forcePathStyle)
    assert.isTrue(parsed("s3://bucket?forcePathStyle=true").forcePathStyle)
    assert.isTrue(parsed("s3://bucket?endpoint=http%3A%2F%2F127.0.0.1%3A1").forcePathStyle)
  })

  const endpoint = "is no http or https URL without trailing slash, query, fragment and credentials"

  it.each([
    ["s3://", "the bucket is not 3 to 63 characters of [a-z0-9.-]"],
    ["s3://Hunter2", "the bucket is not 3 to 63 characters of [a-z0-9.-]"],
    ["s3://-hunter2", "the bucket is not 3 to 63 characters of [a-z0-9.-]"],
    ["s3://bucket/hunter2", "the address has more than a bucket and options"],
    ["s3://bucket?region=eu#hunter2", "the address has more than a bucket and options"],
    [
      "s3://hunter2:hunter2@bucket",
      "credentials are not part of the address: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
    ],
    ["s3://bucket?endpont=hunter2", "endpont is no option"],
    ["s3://bucket?region=eu&hunter2=1", "an option is not known"],
    ["s3://bucket?region=eu&region=hunter2", "region is there twice"],
    ["s3://bucket?region=hunter2!", "region is no name of a region"],
    ["s3://bucket?region=", "region is no name of a region"],
    ["s3://bucket?endpoint=hunter2", `endpoint ${endpoint}`],
    ["s3://bucket?endpoint=ftp://hunter2", `endpoint ${endpoint}`],
    ["s3://bucket?endpoint=http://u:hunter2@host", `endpoint ${endpoint}`],
    ["s3://bucket?endpoint=http://hunter2/", `endpoint ${endpoint}`],
    ["s3://bucket?publicEndpoint=http://hunter2?q", `publicEndpoint ${endpoint}`],
    ["s3://bucket?prefix=/hunter2", "prefix is not segments of [A-Za-z0-9._-] joined by /"],
    ["s3://bucket?prefix=hunter2/", "prefix is not segments of [A-Za-z0-9._-] joined by /"],
    ["s3://bucket?prefix=../hunter2", "prefix is not segments of [A-Za-z0-9._-] joined by /"],
    ["s3://bucket?forcePathStyle=hunter2", "forcePathStyle is neither true nor false"]
  ])("rejects %s, and reports the error without values", (text, fault) => {
    assert.deepStrictEqual(S3Options.parse(text), Result.fail(fault))
  })
})
