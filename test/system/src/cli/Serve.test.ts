import * as fs from "node:fs"
import * as http from "node:http"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"

/** The status of the answer to a POST of JSON. */
const post = (
  options: http.RequestOptions,
  body: string,
  headers: Readonly<Record<string, string>> = {}
): Effect.Effect<number | undefined> =>
  Effect.callback((resume) => {
    const all = { ...headers, "content-type": "application/json" }
    http
      .request({ ...options, method: "POST", headers: all, agent: false }, (response) => {
        response.resume()
        resume(Effect.succeed(response.statusCode))
      })
      // A refused body is not read to its end.
      .on("error", () => resume(Effect.succeed(undefined)))
      .end(body)
  })

const at = (url: string, path: string): http.RequestOptions => {
  const { hostname, port } = new URL(url)
  return { hostname, port, path }
}

/** The status of a submit under `key`. */
const submit = (url: string, key: string) =>
  post(at(url, "/sandbox/echo"), '{"value":1}', { authorization: `Key ${key}` })

const directory = Effect.map(TempDirectory.make, (parent) => path.join(parent, "data"))

/** It must exit with 0 within 2 s, without a word. */
const stopsOn = Effect.fnUntraced(function* (
  signal: NodeJS.Signals,
  server: Inferlog.RunningServer,
  settings: { readonly DATA_DIR: string }
) {
  const start = performance.now()
  const { code, stderr } = yield* server.kill(signal)
  assert.isBelow(performance.now() - start, 2_000)
  assert.strictEqual(code, 0)
  assert.strictEqual(stderr, "")
  assert.isFalse(fs.existsSync(path.join(settings.DATA_DIR, "admin.sock")))
})

describe("Commands beside a server", () => {
  it.effect(
    "take effect at once, through a socket that is for the owner only, needs no key and accepts nothing else",
    () =>
      Effect.gen(function* () {
        const settings = { DATA_DIR: yield* directory, BOOTSTRAP_API_KEY: "first:secret" }
        const server = yield* Inferlog.serve(settings)
        assert.strictEqual(yield* submit(server.url, "first:secret"), 200)

        const created = yield* Inferlog.json(Inferlog.Issued, ["keys", "create", "--name", "ci"], settings)
        const socket = fs.statSync(path.join(settings.DATA_DIR, "admin.sock"))
        assert.strictEqual(socket.mode & 0o777, 0o600)
        assert.strictEqual(yield* submit(server.url, created.key), 200)

        yield* Inferlog.json(Inferlog.Revoked, ["keys", "revoke", created.keyId], settings)
        assert.strictEqual(yield* submit(server.url, created.key), 401)

        const opened = yield* Inferlog.json(
          Inferlog.Opened,
          ["accounts", "create", "--name", "b", "--balance", "1"],
          settings
        )
        assert.strictEqual(yield* submit(server.url, opened.key), 200)

        const keys = yield* Inferlog.json(
          Inferlog.Listed,
          ["keys", "list", "--account", created.accountId],
          settings
        )
        assert.sameMembers(
          keys.map(({ keyId }) => keyId),
          ["first", created.keyId]
        )
        const verified = yield* Inferlog.json(Inferlog.Verified, ["log", "verify"], settings)
        assert.isTrue(verified.ok)

        const socketPath = path.join(settings.DATA_DIR, "admin.sock")
        const key = { authorization: "Key first:secret" }
        const route = "/admin/v1/accounts"
        assert.strictEqual(yield* post({ socketPath, path: route }, "{}"), 400)
        assert.strictEqual(yield* post(at(server.url, route), "{}", key), 401)
        assert.strictEqual(yield* post({ socketPath, path: "/sandbox/echo" }, "{}", key), 404)
        const large = JSON.stringify({ keyId: "x".repeat(2_000_000) })
        assert.strictEqual(yield* post({ socketPath, path: route }, large), 413)
      }).pipe(Effect.scoped)
  )

  it.effect(
    "continue after the server was killed; it starts again, removes its temporary files, and exits with 0 on SIGINT",
    () =>
      Effect.gen(function* () {
        const settings = { DATA_DIR: yield* directory, LOG_LEVEL: "Warn" }
        const temporary = path.join(settings.DATA_DIR, "tmp", "image-abc")
        const killed = yield* Inferlog.serve(settings)
        fs.writeFileSync(temporary, "")
        // A server that may not start leaves those of the running one alone.
        assert.strictEqual((yield* Inferlog.run(["serve"], { ...settings, PORT: "0" })).code, 1)
        assert.isTrue(fs.existsSync(temporary))
        const before = yield* Inferlog.json(Inferlog.Listed, ["keys", "list"], settings)
        yield* killed.kill("SIGKILL")
        assert.isTrue(fs.existsSync(path.join(settings.DATA_DIR, "admin.sock")))

        const { key } = yield* Inferlog.json(Inferlog.Issued, ["keys", "create", "--name", "ci"], settings)
        const server = yield* Inferlog.serve(settings)
        assert.isFalse(fs.existsSync(temporary))
        assert.strictEqual(yield* submit(server.url, key), 200)
        const after = yield* Inferlog.json(Inferlog.Listed, ["keys", "list"], settings)
        assert.strictEqual(after.length, before.length + 1)
        yield* stopsOn("SIGINT", server, settings)
      }).pipe(Effect.scoped)
  )
})

describe("serve", () => {
  it.effect(
    "exits with 1 and one line that names the setting when it cannot start, and the running one exits with 0 on SIGTERM",
    () =>
      Effect.gen(function* () {
        const used = { DATA_DIR: yield* directory, LOG_LEVEL: "Warn" }
        const other = { DATA_DIR: yield* directory, LOG_LEVEL: "Warn" }
        const third = { DATA_DIR: yield* directory, LOG_LEVEL: "Warn" }
        const server = yield* Inferlog.serve(used)
        const { port } = new URL(server.url)
        const wrong = [
          { ...used, PORT: "1" },
          { ...other, PORT: port },
          { ...third, PORT: "many" }
        ]
        const ends = yield* Effect.forEach(wrong, (settings) => Inferlog.run(["serve"], settings), {
          concurrency: 2
        })
        for (const [index, setting] of ["DATA_DIR", "HOST, PORT", "PORT"].entries()) {
          const end = ends[index]
          assert.strictEqual(end?.code, 1)
          assert.match(String(end?.stderr), new RegExp(`^inferlog: .*${setting}.*\n$`))
        }
        yield* stopsOn("SIGTERM", server, used)
      }).pipe(Effect.scoped)
  )

  it.effect("rejects a log whose acknowledged events are missing", () =>
    Effect.gen(function* () {
      const settings = { DATA_DIR: yield* directory }
      yield* Inferlog.json(
        Inferlog.Opened,
        ["accounts", "create", "--name", "acme", "--balance", "25"],
        settings
      )
      const head = fs.readFileSync(path.join(settings.DATA_DIR, "log.head"))
      for (const file of ["log.sqlite", "log.sqlite-wal", "log.sqlite-shm"]) {
        fs.rmSync(path.join(settings.DATA_DIR, file), { force: true })
      }
      const { code, stderr } = yield* Inferlog.run(["serve"], settings)
      assert.strictEqual(code, 1)
      assert.match(
        stderr,
        /^inferlog: DATA_DIR: The log ends at position 0.*5 acknowledged events are missing.*\n$/
      )
      assert.deepStrictEqual(fs.readFileSync(path.join(settings.DATA_DIR, "log.head")), head)
    }).pipe(Effect.scoped)
  )
})
