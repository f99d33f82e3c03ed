import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { AccountId } from "#domain/Ids.ts"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"
import * as DataDirectory from "#test/support/streams/sqlite/DataDirectory.ts"
import * as Log from "#test/support/projections/RequestLog.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"

const Listed = Schema.Struct({
  requests: Schema.Array(
    Schema.Struct({
      requestId: Schema.String,
      status: Schema.String,
      createdAt: Schema.String,
      inferenceMs: Schema.NullOr(Schema.Int),
      cost: Schema.NullOr(Schema.String)
    })
  ),
  next: Schema.NullOr(Schema.String)
})

const Payload = Schema.Struct({ state: Schema.String, json: Schema.Unknown })
const Shown = Schema.Struct({
  requestId: Schema.String,
  outcome: Schema.String,
  urls: Schema.Struct({ response_url: Schema.String }),
  timeline: Schema.Array(
    Schema.Struct({ position: Schema.String, time: Schema.String, type: Schema.String })
  ),
  payloads: Schema.NullOr(Schema.Struct({ input: Payload, output: Payload }))
})

/** Characters that a terminal interprets. */
const controls = /[^\n\P{Cc}]/u

/** Submits to `sandbox/echo` and waits for the end. */
const submit = (url: string, input: unknown) =>
  Effect.promise(async () => {
    const headers = { authorization: "Key first:secret", "content-type": "application/json" }
    const answer = await fetch(`${url}/sandbox/echo`, {
      method: "POST",
      headers,
      body: JSON.stringify(input)
    })
    const { request_id, response_url } = (await answer.json()) as Record<string, string>
    await fetch(`${response_url}/status?wait=10`, { headers })
    return String(request_id)
  })

describe("requests, beside a server", () => {
  it.live("are listed and shown with the server's data", () =>
    Effect.gen(function* () {
      const settings = {
        DATA_DIR: path.join(yield* TempDirectory.make, "data"),
        BOOTSTRAP_API_KEY: "first:secret"
      }
      const server = yield* Inferlog.serve(settings)
      const older = yield* submit(server.url, { value: "a" })
      const newer = yield* submit(server.url, { value: "\u001b[31mred\u009b31m" })

      const first = yield* Inferlog.json(Listed, ["requests", "list", "--limit", "1"], settings)
      assert.deepStrictEqual(
        first.requests.map(({ cost, requestId, status }) => [requestId, status, cost]),
        [[newer, "COMPLETED", "0.001"]]
      )
      assert.strictEqual(first.next, newer)
      const rest = ["requests", "list", "--after", newer, "--model", "sandbox/echo", "--status", "COMPLETED"]
      const second = yield* Inferlog.json(Listed, rest, settings)
      assert.deepStrictEqual(
        [second.requests.map(({ requestId }) => requestId), second.next],
        [[older], null]
      )

      const shown = yield* Inferlog.json(Shown, ["requests", "show", newer, "--payloads"], settings)
      assert.strictEqual(shown.urls.response_url, `${server.url}/sandbox/echo/requests/${newer}`)
      assert.deepStrictEqual(shown.payloads?.output, {
        state: "stored",
        json: { value: "\u001b[31mred\u009b31m" }
      })

      const people = yield* Inferlog.run(["requests", "show", newer, "--payloads"], settings)
      assert.include(people.stdout, "OUTPUT\n{\n")
      assert.include(people.stdout, "red")
      assert.notMatch(people.stdout, controls)
      const json = yield* Inferlog.run(["requests", "show", newer, "--payloads", "--json"], settings)
      assert.notMatch(json.stdout, controls)
      assert.notInclude((yield* Inferlog.run(["requests", "show", newer], settings)).stdout, "red")
    }).pipe(Effect.scoped)
  )
})

describe("requests, without a server", () => {
  const filled = Effect.gen(function* () {
    const directory = yield* TempDirectory.make
    const opened = yield* Inferlog.json(
      Inferlog.Opened,
      ["accounts", "create", "--name", "acme", "--balance", "1"],
      { DATA_DIR: directory }
    )
    yield* DataDirectory.own(
      directory,
      Effect.gen(function* () {
        for (let number = 0; number < 25; number++) {
          const submitted = Log.submitted(AccountId.make(opened.accountId), Log.echo, Log.t0 + number)
          yield* Log.append(number, submitted)
        }
        yield* Log.append(
          7,
          Log.dispatched(1),
          Log.started(1, Log.t0 + 1_000),
          Log.completed(1, Log.t0 + 2_234)
        )
      })
    )
    return { DATA_DIR: directory, QUEUE_URL: "https://queue.example.com" }
  })

  it.live("are listed as text twenty at a time, and shown with their events", () =>
    Effect.gen(function* () {
      const settings = yield* filled
      const list = yield* Inferlog.run(["requests", "list"], settings)
      const [header, ...rows] = list.stdout.trimEnd().split("\n")
      assert.match(String(header), /^REQUEST +MODEL +ACCOUNT +STATUS +OUTCOME +CREATED +RUN +COST$/)
      assert.deepStrictEqual(
        rows.map((row) => row.slice(0, 21)),
        Array.from({ length: 20 }, (_, index) => Log.requestId(24 - index))
      )
      assert.strictEqual(list.stderr, `There are more requests: add --after ${Log.requestId(5)}\n`)
      assert.match(
        String(rows[17]),
        /sandbox\/echo +acc_[0-9a-f]+ +COMPLETED +succeeded +2023-11-14T22:13:20.007Z +1.234 s +\$0.001$/
      )

      const none = yield* Inferlog.run(["requests", "list", "--status", "FAILED"], settings)
      assert.deepStrictEqual(none, { code: 0, stdout: "", stderr: "No request matches.\n" })

      const show = yield* Inferlog.run(["requests", "show", Log.requestId(7)], settings)
      assert.match(show.stdout, /^status +COMPLETED$/m)
      assert.match(show.stdout, /^cost +\$0.001 \(charged, 1 units\)$/m)
      assert.match(show.stdout, /^status URL +https:\/\/queue.example.com\/sandbox\/echo\/requests\/rq/m)
      assert.match(
        show.stdout,
        /^\d+ +2023-11-14T22:13:20.000Z +DispatchStarted +attempt=1 provider=builtin node=node-1$/m
      )
    }).pipe(Effect.scoped)
  )

  it.live("exit with 1 for unknown requests, and with 2 for malformed ids", () =>
    Effect.gen(function* () {
      const settings = yield* filled
      const absent = Log.requestId(999)
      const invocations = [
        ["show", absent],
        ["list", "--after", absent],
        ["show", "nobody"],
        ["list", "--after", "nobody"],
        ["list", "--limit", "0"],
        ["list", "--limit", "1001"],
        ["list", "--status", "completed"],
        ["list", "--model", "echo"]
      ]
      const ends = yield* Effect.forEach(
        invocations,
        (args) => Inferlog.run(["requests", ...args], settings),
        { concurrency: 2 }
      )
      assert.deepStrictEqual(
        ends.map(({ code }) => code),
        [1, 1, 2, 2, 2, 2, 2, 2]
      )
      assert.isTrue(ends.every(({ stdout }) => stdout === ""))
      assert.strictEqual(ends[0]?.stderr, "inferlog: There is no such request\n")
      assert.strictEqual(ends[1]?.stderr, "inferlog: There is no such request\n")
    }).pipe(Effect.scoped)
  )
})
