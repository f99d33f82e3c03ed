/** Large inputs and outputs are stored in the bucket, separately for each account. */
import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"
import * as Calls from "#test/support/src/features/files/upload-flows/Calls.ts"
import {
  overBothStores,
  running,
  UploadServer
} from "#test/support/src/features/files/upload-flows/UploadServer.ts"

const value = "y".repeat(200 * 1024)

const decode = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      id: Schema.String,
      status: Schema.Literal("COMPLETED"),
      output: Schema.Struct({ value: Schema.String })
    })
  )
)

const echoed = (key?: string) =>
  Effect.map(Calls.post("/sandbox/echo?wait=60", { value }, key), ({ text }) => decode(text))

const settings = Effect.map(UploadServer, ({ place }) => ({ DATA_DIR: place.dataDirectory, ...place.env }))

/** The SDK of S3 reads its credentials from the environment of the process. */
const run = (...args: ReadonlyArray<string>) => Effect.flatMap(settings, (env) => Inferlog.spawn(args, env))

const openAccount = Effect.flatMap(settings, (env) =>
  Inferlog.json(Inferlog.Opened, ["accounts", "create", "--name", "Other", "--balance", "1"], env)
)

const keysOf = (accountId: string, requestId: string) =>
  Effect.flatMap(UploadServer, ({ place }) =>
    place.keys(`payloads/${accountId}/InferenceRequest-${requestId}/`)
  )

const assertInputAndOutput = (keys: ReadonlyArray<string>) =>
  assert.deepStrictEqual(keys.map((key) => key.split("/").at(-1)?.split("-", 1)[0]).toSorted(), [
    "input",
    "output"
  ])

overBothStores("payloads of more than 64 KiB", (store) =>
  running(store, (it) => {
    it.effect("belong to one account each, and are deleted when their request is erased", () =>
      Effect.gen(function* () {
        const { place } = yield* UploadServer
        const other = yield* openAccount
        const own = yield* echoed()
        const equal = yield* echoed(other.key)
        assert.isTrue(own.output.value === value && equal.output.value === value)
        const [ownId, otherId] = [own.id, equal.id]
        const all = yield* place.keys("payloads/")
        const ownAccount = all.find((key) => key.includes(ownId))?.split("/")[1] ?? ""
        assert.notStrictEqual(ownAccount, other.accountId)
        assertInputAndOutput(yield* keysOf(ownAccount, ownId))
        assertInputAndOutput(yield* keysOf(other.accountId, otherId))
        assert.lengthOf(all, 4)

        assert.strictEqual((yield* Calls.remove(`/requests/${ownId}/payloads`)).status, 204)
        assert.deepStrictEqual(yield* keysOf(ownAccount, ownId), [])
        assertInputAndOutput(yield* keysOf(other.accountId, otherId))
        const kept = yield* Calls.get(`/sandbox/echo/requests/${otherId}`, other.key)
        assert.isTrue(decode(kept.text).output.value === value)
      })
    )

    it.effect("are verified with the log, beside the server", () =>
      Effect.gen(function* () {
        const { id } = yield* echoed()
        const verified = yield* run("log", "verify", "--json")
        assert.strictEqual(verified.code, 0, verified.stderr)
        assert.include(verified.stdout, '"ok":true')
        const audit = yield* run("audit", "--format", "json")
        assert.strictEqual(audit.code, 0, audit.stderr)
        assert.include(audit.stdout, id)
      })
    )
  })
)
