/** Backups of a log at a NATS server, restored to a data directory. */
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as NatsBinary from "#test/support/servers/NatsBinary.ts"
import * as NatsServer from "#test/support/servers/NatsServer.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as FilledLog from "../log/FilledLog.ts"
import * as Inferlog from "../Inferlog.ts"

const run = Effect.fnUntraced(function* (args: ReadonlyArray<string>, settings: Inferlog.Settings) {
  const { code, stderr, stdout } = yield* Inferlog.run([...args, "--json"], settings)
  assert.strictEqual(code, 0, stderr)
  return JSON.parse(stdout) as Readonly<Record<string, unknown>>
})

describe.skipIf(NatsBinary.isMissing)(NatsBinary.named("backup of a log on NATS"), () => {
  it.live("adds what is new, and restores to a log in SQLite", () =>
    Effect.gen(function* () {
      const { url } = yield* NatsServer.make()
      const parent = yield* TempDirectory.make
      const origin = path.join(parent, "origin")
      fs.mkdirSync(origin)
      const target = path.join(parent, "target")
      const EVENT_STORE = `${url}?sync=always`
      const settings = {
        BLOB_STORE: `file://${parent}/blobs`,
        DATA_DIR: path.join(parent, "node"),
        EVENT_STORE
      }
      const grow = Effect.fnUntraced(function* (prefix: string, count: number) {
        yield* FilledLog.grow(origin, prefix, count)
        return yield* run(["log", "copy", "--from", `sqlite:${origin}`, "--to", EVENT_STORE], {})
      })
      yield* grow("a", 300)
      const base = yield* run(["backup", target, "--without-keys"], settings)
      assert.strictEqual(base["events"], 300)
      const { digest } = yield* grow("b", 50)
      const increment = yield* run(["backup", target, "--without-keys"], settings)
      assert.strictEqual(increment["events"], 50)
      const DATA_DIR = path.join(parent, "restored")
      const restored = yield* run(["restore", target, "--without-keys"], { DATA_DIR })
      assert.deepStrictEqual([restored["events"], restored["digest"]], [350, digest])
      yield* run(["log", "verify"], { DATA_DIR })
    })
  )
})
