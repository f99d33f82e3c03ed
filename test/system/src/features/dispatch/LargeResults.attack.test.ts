/** @alone It checks times or memory against limits. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Attacked from "#test/support/attacks/Attacked.ts"
import { figure } from "#test/support/attacks/Form.ts"

const bytes = figure({ short: 9_000_000, long: 9_900_000 })

describe("A2: parallel reads of one large result", () => {
  it.live("all return the complete result with little memory", () =>
    Effect.gen(function* () {
      const { exited, pid, url } = yield* Attacked.server()
      yield* Effect.promise(async () => {
        void exited.then((code) => assert.strictEqual(code, null, "The server has ended"))
        const id = await Attacked.largeResult(url, bytes)
        const before = Attacked.residentMiB(pid)
        for (const [path, readers] of [
          [`requests/${id}`, 24],
          [`sandbox/echo/requests/${id}`, 16]
        ] as const) {
          const answers = await Promise.all(
            Array.from({ length: readers }, () => Attacked.get(`${url}/${path}`))
          )
          for (const { headers, length, sha256, status } of answers) {
            assert.strictEqual(status, 200, path)
            assert.isAbove(length, 1.8 * bytes, path)
            assert.strictEqual(Number(headers["content-length"]), length)
            assert.strictEqual(sha256, answers[0]?.sha256)
          }
        }
        assert.strictEqual((await Attacked.get(`${url}/health`)).status, 200)
        assert.isBelow(Attacked.residentMiB(pid, "VmHWM") - before, 300)
      })
    }).pipe(Effect.scoped)
  )
})
