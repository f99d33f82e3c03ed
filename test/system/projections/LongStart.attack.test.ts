/**
 * A start on a long log without read models.
 * @first It takes long, so at the end it would run alone.
 * @cost A start is long only on a long log, which is filled first.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as LongLog from "#test/support/LongLog.ts"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as Attacked from "#test/support/attacks/Attacked.ts"
import { figure } from "#test/support/attacks/Form.ts"
import * as Seen from "#test/support/attacks/Seen.ts"

/** Four events each. */
const requests = figure({ short: 160_000, long: 1_000_000 })

const get = (url: string) => fetch(url, { headers: ServerProcess.authorization })

describe("E10: a start without read models", () => {
  it.live(
    "listens before they are built, serves routes that need none, and reports the progress",
    () =>
      Effect.gen(function* () {
        const directory = yield* TempDirectory.make
        const first = yield* Seen.start(directory)
        const { request_id: id } = yield* Effect.promise(async () => {
          const answer = await Attacked.json(`${first.url}/sandbox/echo`, {
            method: "POST",
            body: '{"value":1}'
          })
          await Attacked.json(
            `${first.url}/sandbox/echo/requests/${String(answer["request_id"])}/status?wait=30`
          )
          await first.kill("SIGTERM")
          return answer
        })
        const events = LongLog.write(directory, requests)
        for (const name of fs.readdirSync(directory)) {
          if (name.startsWith("projections")) fs.rmSync(path.join(directory, name))
        }
        const { output, url } = yield* Seen.start(directory)
        yield* Effect.promise(async () => {
          // All at once: the read models take only seconds to build.
          const [health, list, ...served] = await Promise.all([
            Seen.health(url),
            get(`${url}/requests?limit=1`),
            get(`${url}/sandbox/echo/requests/${String(id)}`),
            get(`${url}/requests/${String(id)}`),
            get(`${url}/models/sandbox/echo`)
          ])
          assert.strictEqual(health.status, 503)
          assert.include(health.codes, "queue_building")
          for (const { status } of served) assert.strictEqual(status, 200)
          assert.strictEqual(list.status, 503)
          assert.isNotNull(list.headers.get("retry-after"))
          assert.match(output(), new RegExp(`Building read models from the log.*of=${events}`))
          await Seen.until(url, ({ status }) => status === 200)
          assert.deepInclude(await Attacked.json(`${url}/requests?limit=1`), { total: 1 })
          const { request_id: next } = await Attacked.json(`${url}/sandbox/echo`, {
            method: "POST",
            body: '{"value":1}'
          })
          const status = `${url}/sandbox/echo/requests/${String(next)}/status?wait=30`
          assert.deepInclude(await Attacked.json(status), { status: "COMPLETED" })
        })
      }).pipe(Effect.scoped),
    300_000
  )
})
