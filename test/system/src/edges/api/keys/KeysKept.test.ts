/** Keys, and sessions of the console, on a real server: what its disk contains, and what survives a restart. */
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"

const json = { "content-type": "application/json" }

const ask = async (url: string, key: string, init: RequestInit = {}) => {
  const headers = { authorization: `Key ${key}`, ...json }
  const response = await fetch(url, { ...init, headers })
  const text = await response.text()
  return { status: response.status, body: text === "" ? {} : Object(JSON.parse(text)) }
}

/** Signs in to the console with a key, and returns the cookie. */
const signIn = async (url: string, key: string): Promise<string> => {
  const response = await fetch(`${url}/console/session`, {
    method: "POST",
    headers: { ...json, origin: url, "x-inferlog-console": "1" },
    body: JSON.stringify({ api_key: key })
  })
  return response.headers.getSetCookie()[0]?.split(";")[0] ?? ""
}

/** Every byte under the directory. */
const bytesIn = (directory: string): ReadonlyArray<Buffer> =>
  fs
    .readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => fs.readFileSync(path.join(entry.parentPath, entry.name)))

describe("The keys and sessions of a server", () => {
  it.live("store no secret on its disk, and survive a restart", () =>
    Effect.gen(function* () {
      const dataDirectory = yield* TempDirectory.make
      const start = Effect.acquireRelease(
        Effect.promise(async () =>
          ServerProcess.start({ dataDirectory, port: await ServerProcess.freePort() })
        ),
        ({ kill }) => Effect.promise(() => kill("SIGKILL"))
      )
      const root = ServerProcess.apiKey
      const post = (body: object) => ({ method: "POST", body: JSON.stringify(body) })

      const first = yield* start
      const told = yield* Effect.promise(async () => {
        const keys = `${first.url}/keys`
        const kept = await ask(keys, root, post({ name: "kept", scopes: ["keys:admin"], monthlyBudget: "5" }))
        const rotated = await ask(`${keys}/${kept.body.id}/rotate`, root, post({ gracePeriodSeconds: 3_600 }))
        const revoked = await ask(keys, root, post({ name: "revoked" }))
        await ask(`${keys}/${revoked.body.id}`, root, { method: "DELETE" })
        const list = await ask(keys, root)
        const text = (reply: typeof kept) => String(reply.body.key)
        const cookie = await signIn(first.url, text(rotated))
        await first.kill("SIGTERM")
        return {
          cookie,
          kept: text(kept),
          rotated: text(rotated),
          revoked: text(revoked),
          list: list.body.data
        }
      })

      const files = bytesIn(dataDirectory)
      const isOnDisk = (text: string) => files.some((bytes) => bytes.includes(text))
      const session = decodeURIComponent(told.cookie).split(".")[1] ?? ""
      for (const key of [told.kept, told.rotated, told.revoked, session]) {
        const [id = "", secret = ""] = key.split(":")
        assert.isAbove(secret.length, 40)
        assert.isTrue(isOnDisk(id))
        assert.isFalse(isOnDisk(secret))
        assert.notInclude(first.output(), secret)
      }

      const second = yield* start
      yield* Effect.promise(async () => {
        const keys = `${second.url}/keys`
        const list = await ask(keys, root)
        const lasting = (record: Record<string, unknown>) => ({ ...record, lastUsedAt: null })
        assert.deepStrictEqual(list.body.data.map(lasting), told.list.map(lasting))
        const statuses = [told.kept, told.rotated, told.revoked].map((key) => ask(keys, key))
        assert.deepStrictEqual(
          (await Promise.all(statuses)).map(({ status }) => status),
          [200, 200, 401]
        )
        const goesOn = await fetch(`${second.url}/console/api/keys`, { headers: { cookie: told.cookie } })
        assert.strictEqual(goesOn.status, 200)
      })
    }).pipe(Effect.scoped)
  )
})
