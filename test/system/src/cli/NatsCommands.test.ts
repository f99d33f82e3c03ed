/** Commands that act as a node while they run, with the log at a NATS server. */
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as NatsBinary from "#test/support/servers/NatsBinary.ts"
import * as NatsServer from "#test/support/servers/NatsServer.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as DataDirectory from "#test/support/streams/sqlite/DataDirectory.ts"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"

const nodes = Effect.gen(function* () {
  const { url } = yield* NatsServer.make()
  const parent = yield* TempDirectory.make
  const shared = {
    EVENT_STORE: `${url}?sync=always`,
    BLOB_STORE: `file://${parent}/blobs`,
    MASTER_KEY: "5d".repeat(32)
  }
  return (name: string) => ({ ...shared, DATA_DIR: path.join(parent, name) })
})

const Statuses = Schema.Struct({
  projections: Schema.Array(
    Schema.Struct({ position: Schema.String, behind: Schema.Int, state: Schema.String })
  )
})

describe.skipIf(NatsBinary.isMissing)(NatsBinary.named("A log on a NATS server"), () => {
  it.live("is changed and shown by commands from every data directory", () =>
    Effect.gen(function* () {
      const node = yield* nodes
      const create = ["accounts", "create", "--name", "acme", "--balance", "25"]
      const { accountId } = yield* Inferlog.json(Inferlog.Opened, create, node("a"))
      const issued = yield* Inferlog.json(Inferlog.Issued, ["keys", "create", "--name", "ci"], node("b"))
      assert.strictEqual(issued.accountId, accountId)
      const listed = yield* Inferlog.json(Inferlog.Listed, ["keys", "list"], node("a"))
      assert.include(
        listed.map(({ keyId }) => keyId),
        issued.keyId
      )
      const audit = yield* Inferlog.run(["audit"], node("a"))
      assert.strictEqual(audit.code, 0)
      assert.match(audit.stdout, /\nRead model: it agrees as of position [\d.]+\.\n/)
    }).pipe(Effect.scoped)
  )

  it.live("is the source for rebuilt read models", () =>
    Effect.gen(function* () {
      const node = yield* nodes
      yield* Inferlog.run(["accounts", "create", "--name", "acme", "--balance", "25"], node("a"))
      const rebuilt = yield* Inferlog.run(["projections", "rebuild"], node("b"))
      assert.deepInclude(rebuilt, { code: 0, stderr: "" })
      const { projections } = yield* Inferlog.json(Statuses, ["projections", "list"], node("b"))
      assert.deepStrictEqual(
        new Set(projections.map(({ behind, state }) => `${state} ${behind}`)),
        new Set(["not running 0"])
      )
    }).pipe(Effect.scoped)
  )

  it.live("is rejected by a data directory that contains its own log", () =>
    Effect.gen(function* () {
      const node = yield* nodes
      const { DATA_DIR } = node("a")
      fs.mkdirSync(DATA_DIR)
      yield* DataDirectory.own(DATA_DIR, DataDirectory.append("a", "a0"))
      const { code, stderr, stdout } = yield* Inferlog.run(["keys", "list"], node("a"))
      assert.deepStrictEqual({ code, stdout }, { code: 1, stdout: "" })
      assert.strictEqual(
        stderr,
        `inferlog: DATA_DIR: ${DATA_DIR} has a log of its own, but EVENT_STORE selects a log on NATS servers: set DATA_DIR to a new directory\n`
      )
    }).pipe(Effect.scoped)
  )
})
