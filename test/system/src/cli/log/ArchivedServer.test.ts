/** A server on an archived log answers as before; without a segment it says so and goes on. */
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import * as Archiving from "#src/features/archive/Archiving.ts"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"
import * as Client from "#test/support/src/features/webhooks/deliveries/Client.ts"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as Until from "#test/support/Until.ts"
import * as WebhookReceiver from "#test/support/WebhookReceiver.ts"

type Server = Client.Client & ServerProcess.ServerProcess

const ok = Effect.fnUntraced(function* (settings: Inferlog.Settings, ...args: ReadonlyArray<string>) {
  const { code, stderr, stdout } = yield* Inferlog.run(args, settings)
  assert.strictEqual(code, 0, stderr)
  return stdout
})

const completed = ({ call }: Server, id: string) =>
  Until.answers(async () => {
    const { body } = await Effect.runPromise(call(`/sandbox/echo/requests/${id}/status`))
    if (body["status"] !== "COMPLETED") throw new Error(`it is ${String(body["status"])}`)
  }, Until.processes)

/** The text of an answer. Ports differ from start to start. */
const text = ({ url }: Server, target: string) =>
  Effect.promise(async () => {
    const response = await fetch(url + target, { headers: ServerProcess.authorization })
    return `${response.status} ${await response.text()}`.replaceAll(/127\.0\.0\.1:\d+/g, "server")
  })

/** Statuses that changed, from the beginning of the account's stream. */
const replayed = ({ url }: Server, count: number) =>
  Effect.promise(async () => {
    const aborted = new AbortController()
    const response = await fetch(`${url}/requests/stream`, {
      headers: { ...ServerProcess.authorization, "last-event-id": "0" },
      signal: aborted.signal
    })
    assert.strictEqual(response.status, 200)
    let seen = ""
    for await (const chunk of response.body ?? []) {
      seen += Buffer.from(chunk as Uint8Array).toString()
      if (seen.split("\nevent: status").length > count) break
    }
    aborted.abort()
    return seen
      .split("\n")
      .filter((line) => line.startsWith("id: "))
      .slice(0, count)
  })

describe("a server on an archived log", () => {
  it.live("answers as before, names a segment that is missing, and erases what is archived", () =>
    Effect.gen(function* () {
      const directory = yield* TempDirectory.make
      const target = path.join(directory, "segments")
      const settings = { DATA_DIR: directory }
      const receiver = yield* WebhookReceiver.make()
      const first = yield* Client.start({ dataDirectory: directory })
      const events = ["completed"] as const
      const hooked = yield* first.submit({
        webhook: receiver.url(),
        events,
        input: { value: 1 }
      })
      const key = { method: "POST", headers: { "idempotency-key": "once" } } as const
      const plain = yield* first.call("/sandbox/echo", { ...key, body: { value: "plain" } })
      const large = yield* first.call("/sandbox/echo", {
        method: "POST",
        body: { value: "x".repeat(70_000) }
      })
      const ids = [hooked, String(plain.body["request_id"]), String(large.body["request_id"])]
      yield* Effect.forEach(ids, (id) => completed(first, id))
      const deliveries = events.map((event) => Client.deliveryOf(hooked, event))
      yield* Effect.forEach(deliveries, (id) => first.until(id, Client.isDelivered))
      // A request of the sandbox has five events.
      const newer = Array.from({ length: Math.ceil(Archiving.newestKept / 5) }, (_, index) => index)
      yield* Effect.forEach(
        newer,
        (value) => first.call("/sandbox/echo", { method: "POST", body: { value } }),
        { concurrency: 16, discard: true }
      )
      yield* Until.answers(async () => {
        const { body } = await Effect.runPromise(first.call("/requests?limit=1&status=COMPLETED"))
        if (body["total"] !== newer.length + ids.length)
          throw new Error(`${String(body["total"])} are completed`)
      }, Until.processes)
      const until = DateTime.formatIso(yield* DateTime.now)
      const targets = [
        ...ids.flatMap((id) => [
          `/requests/${id}`,
          `/requests/${id}/events`,
          `/sandbox/echo/requests/${id}`,
          `/sandbox/echo/requests/${id}/status`,
          `/sandbox/echo/requests/${id}/status/stream`
        ]),
        ...deliveries.map((id) => `/webhooks/deliveries/${id}`),
        "/webhooks/deliveries",
        `/requests?limit=100&page=3&createdBefore=${until}&expand=payloads,billing`
      ]
      const answers = (server: Server) => Effect.forEach(targets, (one) => text(server, one))
      const before = yield* answers(first)
      assert.deepStrictEqual(
        before.filter((answer) => !answer.startsWith("200 ")),
        []
      )
      const changes = yield* replayed(first, 6)
      assert.strictEqual(yield* Effect.promise(() => first.kill("SIGTERM")), 0)
      const books = yield* ok(settings, "audit", "--format", "csv")
      const archive = ["log", "archive", "--older-than", "0d", "--json", target]
      assert.include(JSON.parse(yield* ok(settings, ...archive)), { segments: 1 })
      assert.strictEqual(yield* ok(settings, "audit", "--format", "csv"), books)

      const [name = ""] = fs.readdirSync(target).filter((one) => one.startsWith("segment-"))
      const [segment, away] = [path.join(target, name), path.join(directory, "away")]
      fs.renameSync(segment, away)
      const second = yield* Client.start({ dataDirectory: directory, env: { ARCHIVE: target } })
      for (const one of [
        `/requests/${hooked}`,
        `/requests/${hooked}/events`,
        `/webhooks/deliveries/${deliveries[0]}`
      ]) {
        const { body, headers, status } = yield* second.call(one)
        assert.strictEqual(status, 503, one)
        assert.deepStrictEqual(body["details"], { code: "ARCHIVE_UNAVAILABLE", segment: name })
        assert.isTrue(headers.has("retry-after"))
      }
      const live = yield* Effect.forEach(Array.from({ length: 30 }), () =>
        Effect.map(second.call("/sandbox/echo", { method: "POST", body: { value: "live" } }), ({ body }) =>
          String(body["request_id"])
        )
      )
      yield* Effect.forEach(live, (id) => completed(second, id))
      assert.strictEqual((yield* second.call(`/requests/${live[0]}`)).status, 200)
      const damaged = fs.readFileSync(away)
      damaged[40] = (damaged[40] ?? 0) ^ 1
      fs.writeFileSync(segment, damaged)
      assert.strictEqual((yield* second.call(`/requests/${hooked}`)).status, 503)
      assert.include(second.output(), name)
      fs.renameSync(away, segment)

      const after = yield* answers(second)
      for (const [index, one] of targets.entries()) assert.strictEqual(after[index], before[index], one)
      assert.deepStrictEqual(yield* replayed(second, 6), changes)
      const again = yield* second.call("/sandbox/echo", { ...key, body: { value: "plain" } })
      assert.strictEqual(again.body["request_id"], plain.body["request_id"])

      for (const id of ids) {
        assert.strictEqual((yield* second.call(`/requests/${id}/payloads`, { method: "DELETE" })).status, 204)
        assert.strictEqual((yield* second.call(`/sandbox/echo/requests/${id}`)).status, 410)
      }
      // Through the running server: the erasures, and what is no longer among the newest events.
      const refused = yield* Inferlog.run(archive, settings)
      assert.include(refused.stderr, "TARGET: a server runs on the data directory")
      const online = ["log", "archive", "--older-than", "0d", "--json"]
      assert.include(JSON.parse(yield* ok(settings, ...online)), { segments: 1 })
      assert.strictEqual((yield* second.call(`/requests/${hooked}`)).status, 200)
      assert.strictEqual(yield* Effect.promise(() => second.kill("SIGTERM")), 0)
      yield* ok(settings, "audit", "--format", "csv")
    })
  )
})
