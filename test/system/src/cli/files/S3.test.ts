import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as S3Programs from "#test/support/servers/S3Programs.ts"
import * as S3Server from "#test/support/servers/S3Server.ts"
import * as Environment from "#test/support/src/cli/files/Environment.ts"
import * as FaultyServer from "#test/support/src/cli/files/FaultyServer.ts"

const { MiB } = Environment

/** A server with its files in a bucket, and the commands. */
const setUp = Effect.fnUntraced(function* (delivery: string) {
  const s3 = yield* S3Server.shared
  const bucket = yield* S3Server.newBucket(s3)
  const settings = { ...S3Server.credentials, BLOB_STORE: S3Server.blobStore(s3, bucket) }
  const server = yield* FaultyServer.makeWith({ ...settings, MEDIA_DELIVERY: delivery })
  return { server, cli: yield* Environment.make(server) }
})

describe.skipIf(S3Programs.isMissing)(S3Programs.named("files, with the bytes on S3"), () => {
  for (const delivery of ["proxy", "redirect"]) {
    it.live(
      `are sent directly to S3, and downloaded again: MEDIA_DELIVERY=${delivery}`,
      () =>
        Effect.gen(function* () {
          const { cli, server } = yield* setUp(delivery)
          const bodies = { small: Environment.bytes(MiB), large: Environment.bytes(11 * MiB) }
          for (const [name, body] of Object.entries(bodies)) {
            const path = cli.file(`${name}.bin`, body)
            const uploaded = yield* cli.run("upload", path, "--part-size", "5MiB")
            assert.strictEqual(uploaded.code, 0, uploaded.stderr)
            const url = uploaded.stdout.trim()
            const downloaded = yield* cli.run("download", url, "-o", cli.at("copy"))
            assert.strictEqual(downloaded.code, 0, downloaded.stderr)
            assert.strictEqual(Environment.digest(fs.readFileSync(cli.at("copy"))), Environment.digest(body))
          }
          assert.lengthOf(
            server.seen().filter(({ method }) => method === "PUT"),
            0
          )
        }).pipe(Effect.scoped),
      60_000
    )
  }

  it.live(
    S3Programs.named("continues with the missing parts"),
    () =>
      Effect.gen(function* () {
        const { cli, server } = yield* setUp("proxy")
        const body = Environment.bytes(16 * MiB)
        const path = cli.file("large.bin", body)
        const isPartUrl = ({ path }: FaultyServer.Seen) => path.includes("/multipart-url?")
        server.faults((request, turn) =>
          isPartUrl(request) && turn > 2 ? { _tag: "Answer", status: 400, body: { error: "no" } } : null
        )
        const upload = ["upload", path, "--part-size", "5MiB", "--concurrency", "1"]
        assert.strictEqual((yield* cli.run(...upload)).code, 1)
        server.faults(() => null)
        const { code, stderr, stdout } = yield* cli.run(...upload)
        assert.strictEqual(code, 0, stderr)
        assert.lengthOf(server.seen().filter(isPartUrl), 2)
        const found = yield* Environment.fetched(stdout.trim())
        assert.strictEqual(Environment.digest(found.body), Environment.digest(body))
      }).pipe(Effect.scoped),
    60_000
  )
})
