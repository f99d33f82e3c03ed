import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as Attacked from "#test/support/attacks/Attacked.ts"
import { figure } from "#test/support/attacks/Form.ts"
import * as Seen from "#test/support/attacks/Seen.ts"

const requests = figure({ short: 10, long: 1_000 })

const run = async (url: string) => {
  const { request_id: id } = await Attacked.json(`${url}/sandbox/echo`, {
    method: "POST",
    body: '{"value":1}'
  })
  return Attacked.json(`${url}/sandbox/echo/requests/${String(id)}/status?wait=30`)
}

/** The list of requests, once the damaged file is replaced: reads of it are refused. */
const listed = async (url: string): Promise<object> => {
  const answer = await fetch(`${url}/requests`, { headers: ServerProcess.authorization })
  const body = Object(await answer.json())
  return answer.status === 503 ? listed(url) : body
}

const removeJournal = (file: string) => {
  for (const suffix of ["-wal", "-shm"]) fs.rmSync(file + suffix, { force: true })
}

const damages: Readonly<Record<string, (file: string) => void>> = {
  garbage: (file) => {
    removeJournal(file)
    fs.writeFileSync(file, Buffer.alloc(100_000, 0xa5))
  },
  "a directory": (file) => {
    removeJournal(file)
    fs.rmSync(file)
    fs.mkdirSync(file)
  }
}

describe("E4: damaged read models", () => {
  // `test/unit/projections/runner/Damage.test.ts` covers other kinds of damage.
  for (const [name, damage] of Object.entries(damages).slice(0, figure({ short: 1, long: 2 }))) {
    it.live(`are set aside at start and rebuilt: ${name}`, () =>
      Effect.gen(function* () {
        const directory = yield* TempDirectory.make
        const file = path.join(directory, "projections.sqlite")
        const first = yield* Seen.start(directory)
        yield* Effect.promise(async () => {
          for (let count = 0; count < requests; count++) await run(first.url)
          await first.kill("SIGTERM")
          damage(file)
        })
        const { output, url } = yield* Seen.start(directory)
        yield* Effect.promise(async () => {
          assert.match(output(), /damaged: it is set aside/)
          assert.include(output(), file)
          assert.isTrue(fs.existsSync(path.join(directory, "projections.damaged-1.sqlite")))
          assert.deepInclude(await Attacked.json(`${url}/requests`), { total: requests })
          assert.deepInclude(await run(url), { status: "COMPLETED" })
        })
      }).pipe(Effect.scoped)
    )
  }

  it.live("are detected by a running server, which rebuilds them", () =>
    Effect.gen(function* () {
      const directory = yield* TempDirectory.make
      const file = path.join(directory, "projections.sqlite")
      const { output, url } = yield* Seen.start(directory)
      yield* Effect.promise(async () => {
        for (let count = 0; count < requests; count++) await run(url)
        fs.writeFileSync(file, Buffer.alloc(fs.statSync(file).size, 0xa5))
        fs.truncateSync(`${file}-wal`, 0)
        // A fresh request runs without its row, so its end may come before the damage is noticed.
        assert.deepInclude(await run(url), { status: "COMPLETED" })
        await Seen.until(url, ({ status }) => status === 200 && /damaged: it is set aside/.test(output()))
        assert.deepInclude(await listed(url), { total: requests + 1 })
      })
    }).pipe(Effect.scoped)
  )
})
