/** Leaked keys, tiny prices and units with many digits. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as InProcess from "#test/support/src/cli/InProcess.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import { call, serving, submit, until, workerKey } from "#test/support/attacks/OneModel.ts"
import * as Seen from "#test/support/attacks/Seen.ts"

const keyed = (key: string) => ({ authorization: `Key ${key}` })

const started = Effect.gen(function* () {
  const dataDirectory = yield* TempDirectory.make
  return { dataDirectory, server: yield* Seen.start(dataDirectory) }
})

describe("B1: a leaked key that rotates the signing secret", () => {
  it.live("cannot prevent the owner from rotating it and invalidating all previous secrets at once", () =>
    Effect.gen(function* () {
      const { server } = yield* started
      const { key: leaked } = yield* call(server, "/keys", { name: "leaked", scopes: ["webhooks:write"] })
      const rotate = "/webhooks/default/secret/rotate"
      for (let turn = 0; turn < 12; turn++) {
        assert.isString((yield* call(server, rotate, {}, keyed(String(leaked))))["key"])
      }
      const { key, previousKeyExpiresAt } = yield* call(server, rotate, { grace: 0 })
      assert.isString(key)
      assert.isNull(previousKeyExpiresAt)
    }).pipe(Effect.scoped)
  )
})

describe("B2: a run with a tiny cost", () => {
  const nearly = [0, 1e-10]

  it.live("is rejected without a balance and otherwise costs the smallest unit", () =>
    Effect.gen(function* () {
      const { dataDirectory, server } = yield* started
      const { code, stderr, stdout } = yield* Effect.promise(() =>
        InProcess.run(["accounts", "create", "--name", "poor", "--balance", "0", "--json"], {
          DATA_DIR: dataDirectory
        })
      )
      assert.strictEqual(code, 0, stderr)
      const { key } = JSON.parse(stdout)
      for (const seconds of nearly) {
        const { details } = yield* call(server, "/sandbox/slow", { seconds }, keyed(key))
        assert.strictEqual(Object(details).code, "INSUFFICIENT_BALANCE")
        const { request_id: id } = yield* call(server, "/sandbox/slow", { seconds })
        const read = call(server, `/requests/${String(id)}`)
        yield* until(Effect.map(read, ({ status }) => status === "COMPLETED"))
        assert.strictEqual((yield* read)["cost"], "0.000000001")
      }
    }).pipe(Effect.scoped)
  )
})

describe("B3: units with eighteen digits", () => {
  const units = "123456789012.740993"

  it.live("are billed exactly when sent as text, and rejected as a number", () =>
    Effect.gen(function* () {
      const pricing = {
        unit: "image",
        unitPrice: "0.000000001",
        maxQuantity: "1000000000000",
        delivered: "1"
      }
      const { dataDirectory, server } = yield* serving({ adapter: "pull" }, { pricing })
      const worker = keyed(yield* workerKey(dataDirectory))
      const id = yield* submit(server)
      const { job } = yield* call(server, "/workers/claim", { wait: 20 }, worker)
      const result = `/workers/jobs/${String(Object(job).leaseId)}/result`
      const { error } = yield* call(server, result, { output: {}, units: Number(units) }, worker)
      assert.include(JSON.stringify(error), "units")
      assert.isTrue((yield* call(server, result, { output: {}, units }, worker))["recorded"])
      const { data } = yield* call(server, `/requests/${id}/events`)
      const events: ReadonlyArray<unknown> = Array.isArray(data) ? data : []
      const completed = events.find((event) => Object(event).type === "RequestCompleted")
      assert.include(JSON.stringify(completed), `"units":"${units}"`)
    }).pipe(Effect.scoped)
  )
})
