/** Erasure of files as users see it: checks every byte of the server's directory. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"
import { filesWith } from "#test/support/FilesWith.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"

/** In the names and in the bytes of files. */
const words = {
  deleted: ["alpha.deleted@example.com", "the bytes of alpha"],
  pending: ["bravo.pending@example.com", "bytes that never come"],
  kept: ["charlie.kept@example.com", "the bytes of charlie"]
} as const

const Initiated = Schema.decodeUnknownSync(
  Schema.Struct({ upload_url: Schema.String, file_url: Schema.String })
)

const scene = Effect.gen(function* () {
  const directory = yield* TempDirectory.make
  const settings = { DATA_DIR: directory, HOST: "127.0.0.1", LOG_LEVEL: "Error" }
  const open = (name: string) =>
    Inferlog.json(Inferlog.Opened, ["accounts", "create", "--name", name, "--balance", "25"], settings)
  const [account, other] = [yield* open("acme"), yield* open("other")]
  const server = yield* Inferlog.serve(settings)

  const call = (target: string, options: RequestInit) =>
    Effect.promise(async () => {
      const { pathname, search } = new URL(target, server.url)
      const response = await fetch(server.url + pathname + search, options)
      return { status: response.status, text: await response.text() }
    })
  const initiate = Effect.fnUntraced(function* (key: string, [name]: readonly [string, string]) {
    const { text } = yield* call("/storage/upload/initiate", {
      method: "POST",
      headers: { authorization: `Key ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ file_name: `${name}.txt`, content_type: "text/plain" })
    })
    return Initiated(JSON.parse(text))
  })
  const upload = Effect.fnUntraced(function* (key: string, word: readonly [string, string]) {
    const { file_url, upload_url } = yield* initiate(key, word)
    const headers = { "content-type": "text/plain" }
    assert.strictEqual((yield* call(upload_url, { method: "PUT", headers, body: word[1] })).status, 200)
    return file_url
  })
  const stopped = Effect.gen(function* () {
    assert.strictEqual((yield* server.kill("SIGTERM")).code, 0)
    const { code, stdout } = yield* Inferlog.run(["log", "verify"], settings)
    assert.strictEqual(code, 0, stdout)
  })
  const found = (of: keyof typeof words) => words[of].flatMap((word) => filesWith(directory, word))
  return { account, other, call, found, initiate, settings, stopped, upload }
})

describe("After erasing", () => {
  it.live(
    "neither names nor bytes of deleted files remain in any file, and the log verifies",
    () =>
      Effect.gen(function* () {
        const { account, call, found, initiate, stopped, upload } = yield* scene
        const kept = yield* upload(account.key, words.kept)
        const deleted = yield* upload(account.key, words.deleted)
        const { file_url: pending } = yield* initiate(account.key, words.pending)
        const headers = { authorization: `Key ${account.key}` }
        assert.include((yield* call("/files", { headers })).text, words.deleted[0])
        for (const of of ["deleted", "pending", "kept"] as const) assert.isNotEmpty(found(of))
        for (const url of [deleted, pending]) {
          const id = new URL(url).pathname.split("/")[2]
          assert.strictEqual((yield* call(`/files/${id}`, { method: "DELETE", headers })).status, 204)
          assert.strictEqual((yield* call(url, {})).status, 410)
        }
        const { text } = yield* call("/files", { headers })
        assert.notInclude(text, words.deleted[0])
        assert.include(text, words.kept[0])
        assert.strictEqual((yield* call(kept, {})).text, words.kept[1])
        yield* stopped
        assert.deepStrictEqual([...found("deleted"), ...found("pending")], [])
        assert.isNotEmpty(found("kept"))
      }).pipe(Effect.scoped),
    60_000
  )

  for (const isRunning of [true, false]) {
    it.live(
      `of an account, with ${isRunning ? "a server" : "no server"}, neither names nor bytes of its files remain`,
      () =>
        Effect.gen(function* () {
          const { account, call, found, initiate, other, settings, stopped, upload } = yield* scene
          const url = yield* upload(account.key, words.deleted)
          yield* initiate(account.key, words.pending)
          yield* upload(other.key, words.kept)
          if (!isRunning) yield* stopped
          const erase = ["accounts", "erase", "--account", account.accountId, "--yes"]
          const { code, stderr } = yield* Inferlog.run(erase, settings)
          assert.strictEqual(code, 0, stderr)
          if (isRunning) {
            assert.strictEqual((yield* call(url, {})).status, 410)
            yield* stopped
          }
          assert.deepStrictEqual([...found("deleted"), ...found("pending")], [])
          assert.isNotEmpty(found("kept"))
        }).pipe(Effect.scoped),
      60_000
    )
  }
})
