/** @alone It checks times or memory against limits. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Attacked from "#test/support/attacks/Attacked.ts"
import { figure, isLong } from "#test/support/attacks/Form.ts"
import * as Stubborn from "#test/support/attacks/Stubborn.ts"

const connections = figure({ short: 100, long: 400 })

/** Sum of a metric over all its labels. */
const counted = (page: string, name: string): number =>
  page
    .split("\n")
    .filter((line) => line.startsWith(name))
    .reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0)

describe("A4: clients that request large results and do not read them", () => {
  it.live("use little memory, are rejected or disconnected, and do not block other clients", () =>
    Effect.gen(function* () {
      const { exited, pid, url } = yield* Attacked.server()
      const port = Number(new URL(url).port)
      yield* Effect.promise(async () => {
        void exited.then((code) => assert.strictEqual(code, null, "The server has ended"))
        const id = await Attacked.largeResult(url, 9_000_000)
        const before = Attacked.residentMiB(pid)
        const target = { port, path: `/requests/${id}` }
        const clients = await Promise.all([
          ...Array.from({ length: connections }, () => Stubborn.ask(target)),
          // Pipelined requests on one connection.
          ...Array.from({ length: 4 }, () => Stubborn.ask({ ...target, times: 100 }))
        ])
        // A new client gets room, because clients that read nothing are disconnected.
        let last = await Attacked.get(url + target.path)
        while (last.status === 429 || last.status === 503) {
          assert.match(String(last.headers["retry-after"]), /^\d+$/)
          assert.strictEqual((await Attacked.get(`${url}/health`)).status, 200)
          await new Promise((resolve) => setTimeout(resolve, 200))
          last = await Attacked.get(url + target.path)
        }
        assert.strictEqual(last.status, 200)
        assert.isAbove(last.length, 17_000_000)
        // Some clients got an answer and lose their connections. The others were refused.
        const page = await (await fetch(`${url}/metrics`)).text()
        assert.isAbove(counted(page, "inferlog_http_slow_readers_dropped_total"), 0)
        assert.isBelow(counted(page, "inferlog_http_outstanding_bytes"), 257 * 1024 * 1024)
        assert.isBelow(Attacked.residentMiB(pid, "VmHWM") - before, 400)
        // Within half a minute, all slow connections and their buffers are gone.
        const isHeld = async () =>
          counted(await (await fetch(`${url}/metrics`)).text(), "inferlog_http_outstanding_bytes") > 0
        while (isLong && (await isHeld())) await new Promise((resolve) => setTimeout(resolve, 1_000))
        for (const client of clients) client.destroy()
      })
    }).pipe(Effect.scoped)
  )
})
