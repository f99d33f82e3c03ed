/** Backups to a bucket of a real S3 server. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as S3Programs from "#test/support/servers/S3Programs.ts"
import * as S3Server from "#test/support/servers/S3Server.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as FilledLog from "../log/FilledLog.ts"
import * as Inferlog from "../Inferlog.ts"

describe.skipIf(S3Programs.isMissing)(S3Programs.named("backup to S3"), () => {
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
      yield* FilledLog.grow(data, "a", 300)
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
    })
  )
})
