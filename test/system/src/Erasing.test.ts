/** Erasure as users see it: checks every byte of the server's directory. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { inlineLimit } from "#domain/PayloadRef.ts"
import { RequestId } from "#domain/Ids.ts"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"
import { filesWith } from "#test/support/FilesWith.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as Until from "#test/support/Until.ts"

const words = {
  small: "alpha.small@example.com",
  large: "bravo.large@example.com",
  kept: "charlie.kept@example.com"
}

const inputs = {
  small: words.small,
  large: `${words.large} `.repeat(Math.ceil((inlineLimit * 2) / words.large.length)),
  kept: words.kept
}

const Accepted = Schema.decodeUnknownSync(Schema.Struct({ request_id: RequestId }))
const Erased = Schema.Struct({
  accountId: Schema.String,
  erased: Schema.Int,
  open: Schema.Int,
  finished: Schema.Boolean
})

const scene = Effect.gen(function* () {
  const directory = yield* TempDirectory.make
  const settings = { DATA_DIR: directory, HOST: "127.0.0.1", LOG_LEVEL: "Error" }
  const open = (name: string) =>
    Inferlog.json(Inferlog.Opened, ["accounts", "create", "--name", name, "--balance", "25"], settings)
  const [account, other] = [yield* open("acme"), yield* open("other")]
  const server = yield* Inferlog.serve(settings)

  const request = (method: string, target: string, key: string, body?: unknown) =>
    Effect.promise(() =>
      fetch(`${server.url}${target}`, {
        method,
        headers: { authorization: `Key ${key}`, "content-type": "application/json" },
        ...(body !== undefined && { body: JSON.stringify(body) })
      })
    )
  const submit = Effect.fnUntraced(function* (key: string, value: string) {
    const reply = yield* request("POST", "/sandbox/echo", key, { value })
    const { request_id: id } = Accepted(yield* Effect.promise(() => reply.json()))
    const result = Effect.map(
      Effect.tap(request("GET", `/sandbox/echo/requests/${id}`, key), (reply) =>
        Effect.promise(() => reply.text())
      ),
      ({ status }) => status
    )
    yield* Until.polled(`the result of ${id}`, result, (status) => status === 200, Until.processes)
    return id
  })
  const stopped = Effect.gen(function* () {
    const { code } = yield* server.kill("SIGTERM")
    assert.strictEqual(code, 0)
    return yield* Inferlog.run(["log", "verify"], settings)
  })
  return { account, directory, other, request, settings, stopped, submit }
})

describe("After erasing", () => {
  it.live(
    "no text of a request remains in any file, and the log verifies",
    () =>
      Effect.gen(function* () {
        const { account, directory, request, stopped, submit } = yield* scene
        const kept = yield* submit(account.key, inputs.kept)
        const ids = [yield* submit(account.key, inputs.small), yield* submit(account.key, inputs.large)]
        assert.isNotEmpty(filesWith(directory, words.small))
        assert.isNotEmpty(filesWith(directory, words.large))
        for (const id of ids) {
          const reply = yield* request("DELETE", `/requests/${id}/payloads`, account.key)
          assert.strictEqual(reply.status, 204)
          const result = yield* request("GET", `/sandbox/echo/requests/${id}`, account.key)
          assert.strictEqual(result.status, 410)
        }
        const still = yield* request("GET", `/sandbox/echo/requests/${kept}`, account.key)
        assert.strictEqual(still.status, 200)
        const { code, stdout } = yield* stopped
        assert.strictEqual(code, 0, stdout)
        assert.deepStrictEqual(filesWith(directory, words.small), [])
        assert.deepStrictEqual(filesWith(directory, words.large), [])
        assert.isNotEmpty(filesWith(directory, words.kept))
      }).pipe(Effect.scoped),
    60_000
  )

  for (const isRunning of [true, false]) {
    it.live(
      `of an account, with ${isRunning ? "a server" : "no server"}, none of its text remains, and its key is rejected`,
      () =>
        Effect.gen(function* () {
          const { account, directory, other, request, settings, stopped, submit } = yield* scene
          yield* submit(account.key, inputs.small)
          yield* submit(account.key, inputs.large)
          yield* submit(other.key, inputs.kept)
          // A running request is stopped first.
          if (isRunning) yield* request("POST", "/sandbox/slow", account.key, { seconds: 3_600 })
          if (!isRunning) yield* stopped
          const command = ["accounts", "erase", "--account", account.accountId]
          const refused = yield* Inferlog.run(command, settings)
          assert.strictEqual(refused.code, 2)
          assert.match(refused.stderr, /--yes/)
          const erased = yield* Inferlog.json(Erased, [...command, "--yes"], settings)
          assert.deepStrictEqual(erased, {
            accountId: account.accountId,
            erased: isRunning ? 3 : 2,
            open: 0,
            finished: true
          })
          if (isRunning) {
            const reply = yield* request("POST", "/sandbox/echo", account.key, { value: 1 })
            assert.strictEqual(reply.status, 401)
            assert.strictEqual((yield* stopped).code, 0)
          }
          assert.deepStrictEqual(filesWith(directory, words.small), [])
          assert.deepStrictEqual(filesWith(directory, words.large), [])
          assert.isNotEmpty(filesWith(directory, words.kept))
          const again = yield* Inferlog.run([...command, "--yes"], settings)
          assert.deepStrictEqual(
            [again.code, again.stdout],
            [0, `Closed ${account.accountId}; erased 0 requests and files.\n`]
          )
        }).pipe(Effect.scoped),
      60_000
    )
  }
})
