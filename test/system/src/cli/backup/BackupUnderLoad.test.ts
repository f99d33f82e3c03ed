/**
 * Backups beside a server under load, with a ledger of what it acknowledged; restored elsewhere after a `kill -9`.
 * @first It takes long, so at the end it would run alone.
 * @cost Backups only prove something beside a load that goes on until they end.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import { OAuthClient } from "#test/support/src/edges/oauth/OAuthClient.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"
import * as Damaging from "#test/support/src/cli/backup/Damaging.ts"

const passphrase = "correct horse battery staple"

/** Longer: BACKUP_REQUESTS=20000. */
const requests = Number(process.env["BACKUP_REQUESTS"] ?? 100)

const run = Effect.fnUntraced(function* (args: ReadonlyArray<string>, settings: Inferlog.Settings) {
  const ended = yield* Inferlog.run([...args, "--json"], { BACKUP_PASSPHRASE: passphrase, ...settings })
  assert.strictEqual(ended.code, 0, ended.stderr)
  return JSON.parse(ended.stdout) as Record<string, never>
})

const refused = Effect.fnUntraced(function* (args: ReadonlyArray<string>, settings: Inferlog.Settings) {
  const ended = yield* Inferlog.run(args, { BACKUP_PASSPHRASE: passphrase, ...settings })
  assert.notStrictEqual(ended.code, 0, ended.stdout)
  return ended.stderr
})

/** Submits requests and returns the ids that were acknowledged. Every tenth has an input that is stored as a blob. */
const submit = async (url: string, count: number): Promise<ReadonlyArray<string>> => {
  const ids: Array<string> = []
  let next = 0
  const client = async () => {
    while (next < count) {
      const number = next++
      const value = number % 10 === 0 ? "x".repeat(70_000) + String(number) : number
      const answer = await fetch(`${url}/sandbox/echo`, {
        method: "POST",
        headers: { ...ServerProcess.authorization, "content-type": "application/json" },
        body: JSON.stringify({ value })
      }).catch(() => undefined)
      if (answer?.status === 200) ids.push(((await answer.json()) as { request_id: string }).request_id)
    }
  }
  await Promise.all(Array.from({ length: 8 }, client))
  return ids
}

const urlsAt = (url: string) => ({ queueUrl: url, baseUrl: url, mediaUrl: url, mcpUrl: url })

const text = "the bytes of an upload\n".repeat(4_000)

const json = async (url: string, init: RequestInit): Promise<Readonly<Record<string, string>>> => {
  const answer = await fetch(url, {
    ...init,
    headers: { ...ServerProcess.authorization, "content-type": "application/json" }
  })
  assert.strictEqual(answer.status, 200, url)
  return (await answer.json()) as Readonly<Record<string, string>>
}

const put = async (url: string, body: string) => {
  const answer = await fetch(url, { method: "PUT", body, headers: { "content-type": "text/plain" } })
  assert.strictEqual(answer.status, 200)
  return answer.headers.get("etag")?.replaceAll('"', "") ?? ""
}

/** Uploads a file in one piece and one in parts, and returns their paths. */
const upload = async (url: string): Promise<ReadonlyArray<string>> => {
  const file = { file_name: "one.txt", content_type: "text/plain", size: text.length }
  const whole = await json(`${url}/storage/upload/initiate`, { method: "POST", body: JSON.stringify(file) })
  await put(whole["upload_url"] ?? "", text)
  const { fileUrl, uploadId, uploadKey } = await json(`${url}/storage/upload/initiate-multipart`, {
    method: "POST",
    body: JSON.stringify({ ...file, file_name: "parts.txt" })
  })
  const query = new URLSearchParams({ uploadId: uploadId ?? "", uploadKey: uploadKey ?? "", partNumber: "1" })
  const { presignedUrl } = await json(`${url}/storage/upload/multipart-url?${query}`, {})
  const parts = [{ partNumber: 1, etag: await put(presignedUrl ?? "", text) }]
  await json(`${url}/storage/upload/complete`, {
    method: "POST",
    body: JSON.stringify({ uploadId, uploadKey, parts })
  })
  return [whole["file_url"] ?? "", fileUrl ?? ""].map((address) => new URL(address).pathname)
}

const serve = (dataDirectory: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => ServerProcess.start({ dataDirectory, port: await ServerProcess.freePort() })),
    ({ kill }) => Effect.promise(() => kill("SIGKILL"))
  )

describe("backup and restore", () => {
  it.live("restores every request that was acknowledged before a backup under load", () =>
    Effect.gen(function* () {
      const root = yield* TempDirectory.make
      const [data, target, copy] = ["data", "target", "copy"].map((name) => path.join(root, name)) as [
        string,
        string,
        string
      ]
      const server = yield* serve(data)
      const first = yield* Effect.promise(() => submit(server.url, requests))
      const media = yield* Effect.promise(() => upload(server.url))
      const assistant = yield* Effect.promise(() => OAuthClient.register(urlsAt(server.url)))
      const loading = submit(server.url, requests)
      const base = yield* run(["backup", target], { DATA_DIR: data })
      assert.strictEqual(base["kind"], "base")
      const second = [
        ...(yield* Effect.promise(() => loading)),
        ...(yield* Effect.promise(() => submit(server.url, 30)))
      ]
      const increment = yield* run(["backup", target], { DATA_DIR: data })
      assert.strictEqual(increment["kind"], "increment")
      yield* Effect.promise(() => server.kill("SIGKILL"))
      // Requests may have ended since.
      const last = yield* run(["backup", target], { DATA_DIR: data })
      assert.strictEqual((yield* run(["backup", target], { DATA_DIR: data }))["kind"], "unchanged")

      const restored = yield* run(["restore", target], { DATA_DIR: copy })
      assert.strictEqual(restored["digest"], last["digest"])
      yield* run(["log", "verify"], { DATA_DIR: copy })
      assert.match(yield* refused(["restore", target], { DATA_DIR: copy }), /is not empty/)

      const again = yield* serve(copy)
      for (const file of media) {
        const answer = yield* Effect.promise(() => fetch(`${again.url}${file}`))
        assert.strictEqual(yield* Effect.promise(() => answer.text()), text, file)
      }
      // An assistant need not register again, and its user signs in again.
      const { resource, server: issuer } = yield* Effect.promise(() =>
        OAuthClient.discover(urlsAt(again.url))
      )
      const known = new OAuthClient(issuer, assistant.client, resource.resource)
      assert.deepInclude(yield* Effect.promise(() => known.visit({})), { _tag: "Page", status: 200 })
      const unknown = yield* Effect.promise(() => known.visit({ client_id: "unknown" }))
      assert.deepInclude(unknown, { _tag: "Page", status: 400 })
      for (const id of [...first, ...second]) {
        const answer = yield* Effect.promise(() =>
          fetch(`${again.url}/requests/${id}`, { headers: ServerProcess.authorization })
        )
        assert.strictEqual(answer.status, 200, id)
        yield* Effect.promise(() => answer.text())
      }
      assert.isAtLeast(first.length + second.length, requests * 2)
      const projections = yield* run(["projections", "rebuild", "--verify"], { DATA_DIR: copy })
      assert.strictEqual(projections["ok"], true)
      const audit = yield* Inferlog.run(["audit"], { DATA_DIR: copy })
      assert.strictEqual(audit.code, 0, audit.stderr)
      yield* Effect.promise(() => again.kill("SIGTERM"))

      // An earlier moment: after the base, and before its end.
      const middle = String(Number(base["position"]) + 1)
      const until = path.join(root, "until")
      const earlier = yield* run(["restore", target, "--until", middle], { DATA_DIR: until })
      assert.strictEqual(earlier["position"], middle)
      const time = new Date(Number(base["time"])).toISOString()
      yield* run(["restore", target, "--until", time], { DATA_DIR: path.join(root, "time") })
      yield* run(["log", "verify"], { DATA_DIR: path.join(root, "time") })
      assert.match(
        yield* refused(["restore", target, "--until", "99999999"], { DATA_DIR: path.join(root, "far") }),
        /the backup ends at position/
      )

      // Neither another log nor another passphrase.
      const other = path.join(root, "other")
      yield* run(["init"], { DATA_DIR: other })
      assert.match(yield* refused(["backup", target], { DATA_DIR: other }), /backup of another log/)
      const damaged = path.join(root, "damaged")
      const wrong = yield* refused(["restore", target], {
        DATA_DIR: damaged,
        BACKUP_PASSPHRASE: "not the passphrase"
      })
      assert.match(wrong, /passphrase does not open/)

      // A flipped bit. `BackupFiles` flips one in each other kind of piece.
      for (const kind of ["keys", "blobs"]) {
        const file = Damaging.firstIn(path.join(target, kind))
        Damaging.flip(file)
        assert.include(yield* refused(["restore", target], { DATA_DIR: damaged }), path.basename(file), kind)
        assert.isFalse(fs.existsSync(path.join(damaged, "log.sqlite")))
        Damaging.flip(file)
      }
      assert.match(yield* refused(["log", "stats"], { DATA_DIR: damaged }), /contains no event log/)
      const started = yield* Effect.exit(
        Effect.tryPromise(() => ServerProcess.start({ dataDirectory: damaged, port: 1 }))
      )
      assert.match(String(started), /restore into .* interrupted/)
      yield* run(["restore", target], { DATA_DIR: damaged })
    })
  )

  it.live("ships what is new every second, also after the follower was killed", () =>
    Effect.gen(function* () {
      const root = yield* TempDirectory.make
      const data = path.join(root, "data")
      const target = path.join(root, "target")
      const settings = { DATA_DIR: data, BACKUP_PASSPHRASE: passphrase }
      const server = yield* serve(data)
      const ids: Array<string> = []
      for (const signal of ["SIGKILL", "SIGTERM"] as const) {
        const follower = yield* Inferlog.follow(["backup", target, "--follow", "--json"], settings)
        yield* follower.until((stdout) => stdout.includes("\n"))
        for (let round = 0; round < 2; round++) {
          ids.push(...(yield* Effect.promise(() => submit(server.url, 5))))
          const lines = round + 2
          yield* follower.until((stdout) => stdout.split("\n").length > lines)
        }
        const ended = yield* follower.kill(signal)
        if (signal === "SIGTERM") assert.strictEqual(ended.code, 0, ended.stderr)
      }
      yield* Effect.promise(() => server.kill("SIGKILL"))
      const copy = path.join(root, "copy")
      yield* run(["restore", target], { DATA_DIR: copy })
      const again = yield* serve(copy)
      assert.strictEqual(ids.length, 20)
      for (const id of ids) {
        const answer = yield* Effect.promise(() =>
          fetch(`${again.url}/requests/${id}`, { headers: ServerProcess.authorization })
        )
        assert.strictEqual(answer.status, 200, id)
        yield* Effect.promise(() => answer.text())
      }
    })
  )
})
