/** A log whose archive is in a bucket of a real S3 server. */
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import * as Archiving from "#src/features/archive/Archiving.ts"
import * as ArchivedLog from "#test/support/src/features/archive/ArchivedLog.ts"
import * as Client from "#test/support/src/features/webhooks/deliveries/Client.ts"
import * as S3Programs from "#test/support/servers/S3Programs.ts"
import * as S3Server from "#test/support/servers/S3Server.ts"
import * as Until from "#test/support/Until.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"

describe.skipIf(S3Programs.isMissing)(S3Programs.named("an archive in a bucket"), () => {
  it.live("is written, read by requests and read models, and moved to a folder", () =>
    Effect.gen(function* () {
      const bucketServer = yield* S3Server.shared
      const bucket = yield* S3Server.newBucket(bucketServer)
      const target = `s3://${bucket}/some/archive?endpoint=${encodeURIComponent(bucketServer.url)}`
      const directory = yield* TempDirectory.make
      const settings = { ...S3Server.credentials, DATA_DIR: directory }
      const run = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
        const { code, stderr, stdout } = yield* Inferlog.spawn([...args, "--json"], settings)
        assert.strictEqual(code, 0, stderr)
        return JSON.parse(stdout) as Record<string, unknown>
      })
      const start = Client.start({ dataDirectory: directory, env: S3Server.credentials })

      const first = yield* start
      const submit = first.call("/sandbox/echo", { method: "POST", body: { value: "old" } })
      const id = String((yield* submit).body["request_id"])
      const completed = (server: Client.Client) =>
        Until.answers(async () => {
          const list = await Effect.runPromise(server.call("/requests?status=COMPLETED&expand=payloads"))
          assert.strictEqual(list.body["total"], 1)
          return list.body["data"]
        }, Until.processes)
      const list = JSON.stringify(yield* completed(first)).replaceAll(first.url, "")
      const { body } = yield* first.call(`/requests/${id}/events`)
      assert.strictEqual(yield* Effect.promise(() => first.kill("SIGTERM")), 0)

      const now = yield* Clock.currentTimeMillis
      const newer = Array.from({ length: Archiving.newestKept }, (_, index) =>
        ArchivedLog.happen(`t${index}`, now)
      )
      yield* ArchivedLog.owned(directory, Effect.all(newer, { concurrency: 64, discard: true }))
      assert.include(yield* run("log", "archive", "--older-than", "0d", target), { segments: 1 })
      for (const name of fs.readdirSync(directory).filter((name) => name.startsWith("projections")))
        fs.rmSync(path.join(directory, name))

      const second = yield* start
      assert.strictEqual(JSON.stringify(yield* completed(second)).replaceAll(second.url, ""), list)
      assert.deepStrictEqual((yield* second.call(`/requests/${id}/events`)).body, body)
      assert.lengthOf(fs.readdirSync(path.join(directory, "archive-cache")), 1)
      assert.strictEqual(yield* Effect.promise(() => second.kill("SIGTERM")), 0)

      const folder = path.join(directory, "archive")
      assert.deepStrictEqual(yield* run("log", "move-archive", folder), { segments: 1, copied: 1 })
      const verified = yield* Inferlog.run(["log", "verify"], settings)
      assert.strictEqual(verified.code, 0, verified.stderr)
    })
  )
})
