import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { S3Bucket } from "#src/platform/blobs/s3/S3Bucket.ts"
import type { S3Options } from "#src/platform/blobs/s3/S3Options.ts"
import * as Failure from "#src/cli/Failure.ts"
import * as Environment from "#test/support/Environment.ts"
import * as S3Programs from "#test/support/servers/S3Programs.ts"
import * as TestBucket from "#test/support/src/platform/blobs/s3/TestBucket.ts"

/** The output of the program. */
const errorAnswer = (options: S3Options, environment: Environment.Variables = {}) =>
  Effect.gen(function* () {
    yield* Environment.use(environment)
    const error = yield* Effect.flatMap(S3Bucket, ({ check }) => check).pipe(
      Effect.provide(S3Bucket.layer(options)),
      Effect.flip
    )
    return Failure.describe(error)
  }).pipe(Effect.scoped)

describe.skipIf(S3Programs.isMissing)(S3Programs.named("S3Bucket.check"), () => {
  it.live("passes when the bucket can be listed", () =>
    Effect.provide(
      Effect.flatMap(S3Bucket, ({ check }) => check),
      TestBucket.layer
    )
  )

  it.live("reports a missing bucket, with advice", () =>
    Effect.gen(function* () {
      const options = { ...(yield* TestBucket.options()), bucket: "another-bucket" }
      assert.strictEqual(
        yield* errorAnswer(options),
        "BLOB_STORE: could not use the bucket: the bucket does not exist: make it, or correct its name"
      )
    })
  )

  it.live.each([{ AWS_SECRET_ACCESS_KEY: "hunter2" }, { AWS_ACCESS_KEY_ID: "hunter2" }])(
    "reports wrong credentials without printing them: %o",
    (environment) =>
      Effect.gen(function* () {
        assert.strictEqual(
          yield* errorAnswer(yield* TestBucket.options(), environment),
          "BLOB_STORE: could not use the bucket: S3 does not know the credentials: correct AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
        )
      })
  )

  it.live("reports missing credentials", () =>
    Effect.gen(function* () {
      const none = {
        AWS_ACCESS_KEY_ID: undefined,
        AWS_SECRET_ACCESS_KEY: undefined,
        AWS_EC2_METADATA_DISABLED: "true",
        AWS_SHARED_CREDENTIALS_FILE: "/nowhere",
        AWS_CONFIG_FILE: "/nowhere"
      }
      assert.match(
        yield* errorAnswer(yield* TestBucket.options(), none),
        /^BLOB_STORE: could not use the bucket: there are no credentials for S3: set AWS_ACCESS_KEY_ID /
      )
    })
  )

  it.live("reports that S3 cannot be reached", () =>
    Effect.gen(function* () {
      const options = TestBucket.at(yield* TestBucket.options(), 1)
      assert.strictEqual(
        yield* errorAnswer(options),
        "BLOB_STORE: could not use the bucket: S3 cannot be reached: look at endpoint, and whether it runs"
      )
    })
  )

  it.live("reports a missing region for AWS", () =>
    Effect.gen(function* () {
      const options = { ...(yield* TestBucket.options()), endpoint: null }
      const environment = {
        AWS_REGION: undefined,
        AWS_DEFAULT_REGION: undefined,
        AWS_CONFIG_FILE: "/nowhere"
      }
      assert.strictEqual(
        yield* errorAnswer(options, environment),
        "BLOB_STORE: could not use the bucket: the region is not known: add ?region="
      )
    })
  )
})
