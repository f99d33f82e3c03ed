import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"
import * as DataDirectory from "#test/support/streams/sqlite/DataDirectory.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as FilledLog from "#test/support/src/cli/log/FilledLog.ts"

const filled = Effect.gen(function* () {
  const directory = yield* TempDirectory.make
  yield* FilledLog.grow(directory, "a", 10)
  return directory
})

const accept = (directory: string) => Inferlog.run(["log", "accept-head", "--json"], { DATA_DIR: directory })

const lastEvent = (directory: string) =>
  Effect.map(Inferlog.run(["log", "tail", "--json", "-n", "1"], { DATA_DIR: directory }), ({ stdout }) =>
    JSON.parse(stdout)
  )

const isRefused = (directory: string) => Effect.flip(DataDirectory.own(directory, Effect.void))

describe("log accept-head", () => {
  for (const length of [0, 1]) {
    it.live(`records the acceptance of a log.head of ${length} bytes, and preserves the file`, () =>
      Effect.gen(function* () {
        const directory = yield* filled
        const { head } = DataDirectory.files(directory)
        fs.truncateSync(head, length)
        const refused = yield* isRefused(directory)
        assert.strictEqual(refused._tag, "LogHeadDamaged")
        assert.include(refused.message, "inferlog log accept-head")
        assert.strictEqual(fs.statSync(head).size, length)

        const { code, stdout } = yield* accept(directory)
        assert.strictEqual(code, 0)
        const { accepted } = JSON.parse(stdout)
        assert.deepInclude(accepted, { fault: "damaged", end: "10", position: "11" })
        assert.strictEqual(fs.statSync(`${directory}/${accepted.keptAs}`).size, length)
        assert.deepInclude(yield* lastEvent(directory), { type: "LogHeadAccepted", position: "11" })
        assert.strictEqual((yield* DataDirectory.verify(directory)).events, 11)
      }).pipe(Effect.scoped)
    )
  }

  it.live("records which events were named by a log.head that is ahead of the log", () =>
    Effect.gen(function* () {
      const directory = yield* filled
      const short = DataDirectory.snapshot(directory)
      yield* FilledLog.grow(directory, "b", 5)
      fs.writeFileSync(DataDirectory.files(directory).log, short.get("log.sqlite") ?? "")
      assert.strictEqual((yield* isRefused(directory))._tag, "LogTruncated")
      const { stdout } = yield* accept(directory)
      assert.deepInclude(JSON.parse(stdout).accepted, { fault: "ahead", end: "10", noted: "15" })
      assert.strictEqual((yield* DataDirectory.verify(directory)).events, 11)
    }).pipe(Effect.scoped)
  )

  it.live("changes nothing when log.head is valid", () =>
    Effect.gen(function* () {
      const directory = yield* filled
      const files = DataDirectory.files(directory)
      const read = () => [files.log, files.head].map((file) => fs.readFileSync(file))
      const before = read()
      const { code, stdout } = yield* accept(directory)
      assert.deepStrictEqual([code, JSON.parse(stdout)], [0, { accepted: null }])
      assert.deepStrictEqual(read(), before)
    }).pipe(Effect.scoped)
  )

  it.live("is rejected beside a running server", () =>
    Effect.gen(function* () {
      const directory = yield* filled
      const { code, stderr } = yield* DataDirectory.own(directory, accept(directory))
      assert.strictEqual(code, 1)
      assert.include(stderr, "Another inferlog process uses")
    }).pipe(Effect.scoped)
  )
})
