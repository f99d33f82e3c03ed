import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"

const directory = Effect.map(TempDirectory.make, (parent) => path.join(parent, "data"))

/** A value that each setting refuses. Settings that accept any text are not listed. */
const wrong = {
  HOST: "hunter2/",
  PORT: "hunter2",
  QUEUE_URL: "https://hunter2.example/?q",
  BASE_URL: "hunter2",
  MEDIA_URL: "https://hunter2.example/",
  MCP_URL: "ftp://hunter2",
  BOOTSTRAP_API_KEY: "hunter2",
  BOOTSTRAP_BALANCE: "-1",
  ALLOW_PRIVATE_TARGETS: "hunter2",
  EVENT_STORE: "hunter2",
  BLOB_STORE: "file:///hunter2%2f",
  VISION_WORKERS: "65",
  LOG_LEVEL: "hunter2"
}

describe("serve with wrong settings", () => {
  it.effect.each(Object.entries(wrong))(
    "names %s in one line, exits with 1, and creates nothing",
    ([name, value]) =>
      Effect.gen(function* () {
        const DATA_DIR = yield* directory
        const { code, stderr, stdout } = yield* Inferlog.run(["serve"], { DATA_DIR, [name]: value })
        assert.strictEqual(code, 1)
        assert.strictEqual(stdout, "")
        assert.match(stderr, new RegExp(`^inferlog: ${name}: Expected [^\\n]+\\n$`))
        assert.notInclude(stderr, "hunter2")
        assert.isFalse(fs.existsSync(DATA_DIR))
      }).pipe(Effect.scoped)
  )

  it.effect("names all invalid settings", () =>
    Effect.gen(function* () {
      const settings = { DATA_DIR: yield* directory, ...wrong }
      const { code, stderr } = yield* Inferlog.run(["serve"], settings)
      assert.strictEqual(code, 1)
      const line = new RegExp(
        `^inferlog: ${Object.keys(wrong)
          .map((name) => `${name}: Expected [^;]+`)
          .join("; ")}\\n$`
      )
      assert.match(stderr, line)
      assert.notInclude(stderr, "hunter2")
    }).pipe(Effect.scoped)
  )
})

describe("serve", () => {
  it.effect("treats empty variables as absent", () =>
    Effect.gen(function* () {
      const { PORT: _, ...empty } = Object.fromEntries(Object.keys(wrong).map((name) => [name, ""]))
      const server = yield* Inferlog.serve({ ...empty, DATA_DIR: yield* directory })
      const { code, stdout } = yield* server.kill("SIGTERM")
      assert.strictEqual(code, 0)
      assert.include(stdout, `inferlog serves at ${server.url}\n`)
    }).pipe(Effect.scoped)
  )

  it.effect("warns about a variable that is one letter away from a setting", () =>
    Effect.gen(function* () {
      const settings = { DATA_DIR: yield* directory, BLOB_STROE: "file:///hunter2", LOG_FORMAT: "logfmt" }
      const server = yield* Inferlog.serve(settings)
      const { stderr } = yield* server.kill("SIGTERM")
      assert.match(stderr, /level=WARN.*BLOB_STROE is not a setting\. Did you mean BLOB_STORE\?/)
      assert.notInclude(stderr, "hunter2")
    }).pipe(Effect.scoped)
  )
})
