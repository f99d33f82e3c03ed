/** @alone It checks times or memory against limits. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Attacked from "#test/support/attacks/Attacked.ts"
import { figure } from "#test/support/attacks/Form.ts"
import * as Stubborn from "#test/support/attacks/Stubborn.ts"

const readers = figure({ short: 512, long: 2_048 })

/** Sends no key and uses another address. */
const honest = { headers: {}, localAddress: "127.0.0.2" }

describe("A7: slow readers of one public file", () => {
  it.live("block neither that file nor others for clients that read", () =>
    Effect.gen(function* () {
      const { exited, url } = yield* Attacked.server()
      const port = Number(new URL(url).port)
      yield* Effect.promise(async () => {
        void exited.then((code) => assert.strictEqual(code, null, "The server has ended"))
        const file = await Attacked.publicFile(url, 20_000_000)
        const other = await Attacked.publicFile(url, 1_000_000)
        const target = { port, path: file, isPublic: true }
        const slow = await Promise.all(Array.from({ length: readers }, () => Stubborn.ask(target)))
        // From another address, all files are available at once.
        for (const path of [file, other, file, other]) {
          const { length, status } = await Attacked.get(url + path, honest)
          assert.strictEqual(status, 200, path)
          assert.strictEqual(length, path === file ? 20_000_000 : 1_000_000)
        }
        // From the same address, after connections that have read nothing for some seconds are closed.
        for (const path of [other, file]) {
          let answer = await Attacked.get(url + path, { headers: {} })
          while (answer.status === 503) {
            assert.match(String(answer.headers["retry-after"]), /^\d+$/)
            await new Promise((resolve) => setTimeout(resolve, 200))
            answer = await Attacked.get(url + path, { headers: {} })
          }
          assert.strictEqual(answer.status, 200)
        }
        for (const client of slow) client.destroy()
      })
    }).pipe(Effect.scoped)
  )
})
