/** Backups to a bucket of a real S3 server. */
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { GetObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3"
import { Effect } from "effect"
import * as Manifest from "#src/features/backup/format/Manifest.ts"
import * as DataDirectory from "#test/support/streams/sqlite/DataDirectory.ts"
import * as S3Programs from "#test/support/servers/S3Programs.ts"
import * as S3Server from "#test/support/servers/S3Server.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as FilledLog from "#test/support/src/cli/log/FilledLog.ts"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"

describe.skipIf(S3Programs.isMissing)(S3Programs.named("backup to S3"), () => {
  it.live("copies blobs from one bucket, and restores them to another", () =>
    Effect.gen(function* () {
      const server = yield* S3Server.shared
      const [from, to] = [yield* S3Server.newBucket(server), yield* S3Server.newBucket(server)]
      const parent = yield* TempDirectory.make
      const [data, target, copy] = ["data", "target", "copy"].map((name) => path.join(parent, name)) as [
        string,
        string,
        string
      ]
      const query = `?endpoint=${encodeURIComponent(server.url)}`
      fs.mkdirSync(data)
      yield* DataDirectory.own(data, DataDirectory.appendPayload("p", "p0", { text: "x".repeat(70_000) }))
      const [key = ""] = fs
        .readdirSync(path.join(data, "files"), { recursive: true, encoding: "utf8" })
        .filter((name) => fs.statSync(path.join(data, "files", name)).isFile())
      const bytes = fs.readFileSync(path.join(data, "files", key))
      const client = yield* S3Server.clientOf(server)
      yield* Effect.promise(() => client.send(new PutObjectCommand({ Bucket: from, Key: key, Body: bytes })))
      const run = Effect.fnUntraced(function* (
        args: ReadonlyArray<string>,
        DATA_DIR: string,
        bucket: string
      ) {
        const ended = yield* Inferlog.spawn([...args, "--without-keys", "--json"], {
          ...S3Server.credentials,
          BLOB_STORE: `s3://${bucket}${query}`,
          DATA_DIR
        })
        assert.strictEqual(ended.code, 0, ended.stderr)
        return JSON.parse(ended.stdout) as Readonly<Record<string, unknown>>
      })
      assert.deepInclude(yield* run(["backup", target], data, from), { blobs: 1, missingBlobs: 0 })
      assert.deepInclude(yield* run(["restore", target], copy, to), { blobs: 1, payloads: 1 })
      assert.isFalse(fs.existsSync(path.join(copy, "blobs")))
    })
  )

  it.live("adds what is new, refuses one of two backups at a time, and restores", () =>
    Effect.gen(function* () {
      const server = yield* S3Server.shared
      const bucket = yield* S3Server.newBucket(server)
      const data = yield* TempDirectory.make
      const target = `s3://${bucket}/some/prefix?endpoint=${encodeURIComponent(server.url)}`
      const settings = { ...S3Server.credentials, DATA_DIR: data }
      const backup = Inferlog.spawn(["backup", target, "--without-keys", "--json"], settings)
      const kindOf = ({ code, stderr, stdout }: Inferlog.Ended) => {
        assert.strictEqual(code, 0, stderr)
        return (JSON.parse(stdout) as { readonly kind: string }).kind
      }
      yield* FilledLog.grow(data, "a", 299)
      yield* DataDirectory.own(data, DataDirectory.appendPayload("p", "p0", { text: "x".repeat(70_000) }))
      fs.cpSync(path.join(data, "files"), path.join(data, "blobs"), { recursive: true })
      assert.strictEqual(kindOf(yield* backup), "base")
      yield* FilledLog.grow(data, "b", 100)
      assert.strictEqual(kindOf(yield* backup), "increment")
      yield* FilledLog.grow(data, "c", 100)
      const twins = yield* Effect.all([backup, backup], { concurrency: 2 })
      for (const twin of twins) {
        if (twin.code === 0) assert.include(["increment", "unchanged"], kindOf(twin))
        else assert.match(twin.stderr, /Another backup uses the target/)
      }
      assert.isTrue(twins.some(({ code }) => code === 0))

      const directory = yield* TempDirectory.make
      const restored = yield* Inferlog.spawn(["restore", target, "--without-keys", "--json"], {
        ...settings,
        DATA_DIR: directory
      })
      assert.strictEqual(restored.code, 0, restored.stderr)
      assert.strictEqual((JSON.parse(restored.stdout) as { readonly events: number }).events, 500)

      yield* DataDirectory.own(data, DataDirectory.erase("p"))
      const full = yield* Inferlog.spawn(
        ["backup", target, "--without-keys", "--json", "--full", "--keep", "1"],
        settings
      )
      assert.strictEqual(full.code, 0, full.stderr)
      assert.deepInclude(JSON.parse(full.stdout), { kind: "base", removedBlobs: 1 })
      assert.strictEqual(kindOf(yield* backup), "unchanged")

      // As while another backup removes blobs.
      const client = yield* S3Server.clientOf(server)
      const place = { Bucket: bucket, Key: "some/prefix/manifest.json" }
      const { Body } = yield* Effect.promise(() => client.send(new GetObjectCommand(place)))
      const manifest = yield* Manifest.parse(
        yield* Effect.promise(() => Body?.transformToString() ?? Promise.resolve(""))
      )
      const retired = [{ key: "inventories/1", sha256: "", size: 0, blobs: 0, rawSize: 0 }]
      const text = Manifest.render({ ...manifest, writtenAt: Date.now(), retired })
      yield* Effect.promise(() => client.send(new PutObjectCommand({ ...place, Body: text })))
      assert.match((yield* backup).stderr, /Another backup uses the target/)
    })
  )
})
