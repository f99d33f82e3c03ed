/** The program on what each release has left on disk (`MakeRelease.ts`). */
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Schema } from "effect"
import { dataFormat } from "#src/kernel/program/DataFormat.ts"
import * as ArchivedLog from "#test/support/src/features/archive/ArchivedLog.ts"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"

const releases = path.join(ServerProcess.root, "test/fixtures/releases")

const decode = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      requests: Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Json)),
      file: Schema.Struct({ path: Schema.String, text: Schema.String }),
      accounts: Schema.String
    })
  )
)

const decodeRequest = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Record(Schema.String, Schema.Json))
)

const lines = (text: string) =>
  text
    .trim()
    .split("\n")
    .map((line): unknown => JSON.parse(line))

/** URLs name the server's port, which is another one. */
const withoutPorts = (value: unknown) => JSON.stringify(value).replaceAll(/127\.0\.0\.1:\d+/g, "server")

const command = (dataDirectory: string, ...args: ReadonlyArray<string>) =>
  childProcess.spawnSync(process.execPath, ["bin/inferlog.js", ...args], {
    cwd: ServerProcess.root,
    env: { PATH: process.env["PATH"], DATA_DIR: dataDirectory },
    encoding: "utf8"
  })

describe.each(fs.readdirSync(releases))("data of release %s", (release) => {
  it.live("is served as it was, and its log and books are proven", () =>
    Effect.gen(function* () {
      const directory = yield* TempDirectory.make
      childProcess.execFileSync("tar", ["-xJf", path.join(releases, release, "data.tar.xz"), "-C", directory])
      const expected = decode(fs.readFileSync(path.join(releases, release, "expected.json"), "utf8"))
      const server = yield* Effect.acquireRelease(
        Effect.promise(async () =>
          ServerProcess.start({
            dataDirectory: directory,
            port: await ServerProcess.freePort(),
            env: { RETENTION: "520 weeks" }
          })
        ),
        (server) => Effect.promise(() => server.kill("SIGKILL"))
      )
      const get = (path: string) =>
        Effect.promise(async () => {
          const response = await fetch(`${server.url}${path}`, { headers: ServerProcess.authorization })
          return response.text()
        })
      const statuses = new Set<unknown>()
      for (const [id, before] of Object.entries(expected.requests)) {
        const now = decodeRequest(yield* get(`/requests/${id}`))
        statuses.add(now["status"])
        for (const field of Object.keys(before)) {
          assert.strictEqual(withoutPorts(now[field]), withoutPorts(before[field]), `${id}: ${field}`)
        }
      }
      assert.deepStrictEqual([...statuses].toSorted(), ["CANCELLED", "COMPLETED", "FAILED"])
      assert.strictEqual(yield* get(expected.file.path), expected.file.text)
      assert.include(JSON.stringify(expected.requests), '"outcome":"provider_failed"')
      assert.include(yield* get("/webhooks/deliveries"), '"delivered"')
      assert.strictEqual(yield* Effect.promise(() => server.kill("SIGTERM")), 0)

      const accounts = command(directory, "accounts", "list", "--json")
      assert.deepStrictEqual(lines(accounts.stdout), lines(expected.accounts), accounts.stderr)
      const now = yield* Clock.currentTimeMillis
      const { events } = yield* ArchivedLog.owned(directory, ArchivedLog.archive(directory, now))
      assert.isAbove(events, 0)
      // Both read what was archived, too.
      for (const args of [["log", "verify"], ["audit"]]) {
        const { status, stderr } = command(directory, ...args)
        assert.strictEqual(status, 0, stderr)
      }
      const note: unknown = JSON.parse(fs.readFileSync(path.join(directory, "release"), "utf8"))
      assert.propertyVal(note, "format", dataFormat)
    })
  )

  it.live("is refused by an older program once a newer one has written it", () =>
    Effect.gen(function* () {
      const directory = yield* TempDirectory.make
      childProcess.execFileSync("tar", ["-xJf", path.join(releases, release, "data.tar.xz"), "-C", directory])
      const newer = JSON.stringify({ format: dataFormat + 1, release: "98.7.6" })
      fs.writeFileSync(path.join(directory, "release"), newer)
      const before = fs.readdirSync(directory).toSorted()
      for (const args of [["serve"], ["accounts", "list"], ["log", "verify"]]) {
        const { status, stderr } = command(directory, ...args)
        assert.strictEqual(status, 1)
        assert.match(stderr, /^inferlog: DATA_DIR: inferlog 98\.7\.6 .+ or restore a backup .+\n$/)
      }
      assert.deepStrictEqual(fs.readdirSync(directory).toSorted(), before)
    })
  )
})
