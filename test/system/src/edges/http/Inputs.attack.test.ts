/**
 * @alone It checks times or memory against limits.
 * @cost Its inputs are as large as the server accepts; smaller ones do no harm.
 */
import * as http from "node:http"
import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as Attacked from "#test/support/attacks/Attacked.ts"
import { figure } from "#test/support/attacks/Form.ts"
import * as Probing from "#test/support/attacks/Probing.ts"

interface Answer {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly body: Record<string, unknown>
}

/** `bytes` of arrays that are nested 120 deep. */
const nested = (bytes: number) =>
  `[${Array.from({ length: Math.floor(bytes / 241) }, () => "[".repeat(120) + "]".repeat(120)).join(",")}]`

const echo = (value: string, delayMs: number) => Buffer.from(`{"delayMs":${delayMs},"value":${value}}`)

const tenMinutes = 600_000

/** Posts on a new connection. The answer may arrive before the body is sent. */
const post = (url: string, key: string, body: Buffer, headers: Record<string, string> = {}) =>
  new Promise<Answer>((resolve, reject) => {
    const request = http.request(url, {
      method: "POST",
      agent: false,
      headers: {
        authorization: `Key ${key}`,
        "content-type": "application/json",
        "content-length": body.length,
        ...headers
      }
    })
    request.on("response", (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("error", reject)
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Object(JSON.parse(Buffer.concat(chunks).toString()))
        })
      )
    })
    request.on("error", reject)
    request.end(body)
  })

const retryAfter = ({ headers }: Answer) => Number(headers["retry-after"])

const start = (dataDirectory: string) =>
  Effect.acquireRelease(
    Effect.promise(async () =>
      ServerProcess.start({
        dataDirectory,
        port: await ServerProcess.freePort(),
        env: { NODE_OPTIONS: "--max-old-space-size=512" }
      })
    ),
    ({ kill }) => Effect.promise(() => kill("SIGKILL"))
  )

const open = (dataDirectory: string, balance: string) =>
  Effect.map(
    Inferlog.json(Inferlog.Opened, ["accounts", "create", "--name", "Other", "--balance", balance], {
      DATA_DIR: dataDirectory
    }),
    ({ key }) => key
  )

const statusOf = async (url: string, key: string, id: unknown) => {
  const response = await fetch(`${url}/sandbox/echo/requests/${String(id)}/status?wait=30`, {
    headers: { authorization: `Key ${key}` }
  })
  return Object(await response.json()).status
}

const health = async (url: string) => {
  const response = await fetch(`${url}/health`)
  assert.strictEqual(response.status, 200)
  await response.arrayBuffer()
}

describe("A1: inputs of many small values that run for ten minutes", () => {
  it.live("are rejected by their memory, each alone and all together, also after a restart", () =>
    Effect.gen(function* () {
      const dataDirectory = yield* TempDirectory.make
      const first = yield* start(dataDirectory)
      const other = yield* open(dataDirectory, "10")
      yield* Effect.promise(async () => {
        const send = (body: Buffer) => post(`${first.url}/sandbox/echo`, ServerProcess.apiKey, body)
        // These inputs used to exhaust a heap of 4 GiB.
        const fatal = echo(nested(9.9 * 1024 ** 2), tenMinutes)
        const wholes = figure({ short: 6, long: 15 })
        const whole = await Promise.all(Array.from({ length: wholes }, () => send(fatal)))
        for (const { body, status } of whole) {
          assert.strictEqual(status, 413)
          assert.deepInclude(Object(body["details"]), { code: "TOO_MANY_VALUES" })
        }
        // Each takes about 15 MiB; together they exceed the heap.
        const large = echo(nested(480_000), tenMinutes)
        const many = figure({ short: 40, long: 200 })
        let accepted = 0
        for (let sent = 0; sent < many; sent += 8) {
          const parts = await Promise.all(Array.from({ length: 8 }, () => send(large)))
          for (const answer of parts) {
            assert.include([200, 429, 503], answer.status)
            if (answer.status === 200) accepted++
            else assert.isAtLeast(retryAfter(answer), 1)
          }
        }
        assert.isAbove(accepted, 8)
        const { body } = await post(`${first.url}/sandbox/echo`, other, echo('"honest"', 0))
        assert.strictEqual(await statusOf(first.url, other, body["request_id"]), "COMPLETED")
      })
      yield* Effect.promise(() => first.kill("SIGKILL"))
      const second = yield* start(dataDirectory)
      yield* Effect.promise(async () => {
        const honest = async () => {
          const { body } = await post(`${second.url}/sandbox/echo`, other, echo('"honest"', 0))
          assert.strictEqual(await statusOf(second.url, other, body["request_id"]), "COMPLETED")
        }
        for (let times = 0; times < 5; times++) await honest()
        await health(second.url)
        assert.isBelow(Attacked.residentMiB(second.pid, "VmHWM"), 900)
      })
    }).pipe(Effect.scoped)
  )
})

interface Shared {
  readonly url: string
  /** Of an account that cannot pay. */
  readonly poor: string
  readonly other: string
}

/** One server with little memory, for attacks that leave nothing behind. */
class Victim extends Context.Service<Victim, Shared>()("inferlog/test/attacks/Victim") {}

const victim = Layer.effect(
  Victim,
  Effect.gen(function* () {
    const dataDirectory = yield* TempDirectory.make
    const { url } = yield* start(dataDirectory)
    return { url, poor: yield* open(dataDirectory, "0"), other: yield* open(dataDirectory, "10") }
  })
)

layer(victim, { excludeTestServices: true })((it) => {
  describe("A3: webhook_events_filter with millions of items", () => {
    it.effect("is rejected at once and delays nothing", () =>
      Effect.gen(function* () {
        const { url } = yield* Victim
        yield* Effect.promise(async () => {
          const items = (count: number) => `[${"1,".repeat(count - 1)}1]`
          const body = (count: number) =>
            Buffer.from(
              `{"value":1,"webhook":"https://example.com/","webhook_events_filter":${items(count)}}`
            )
          const send = (count: number) => post(`${url}/sandbox/echo`, ServerProcess.apiKey, body(count))
          assert.strictEqual((await send(5_200_000)).status, 413)
          const answer = await send(500_000)
          assert.strictEqual(answer.status, 400)
          assert.deepStrictEqual(
            Object(answer.body["error"]).map(({ code }: { readonly code: string }) => code),
            ["maxItems"]
          )
        })
      })
    )
  })

  describe("A5: large bodies from an account that cannot pay", () => {
    it.effect("are rejected before they are read, and delay no other client", () =>
      Effect.gen(function* () {
        const { poor, url } = yield* Victim
        yield* Effect.promise(async () => {
          const body = echo(`[${"{},".repeat(3_000_000)}{}]`, 0)
          const { p99 } = await Probing.during({ url: `${url}/health` }, async () => {
            const send = () => post(`${url}/sandbox/echo`, poor, body).catch(() => null)
            // A connection that closes during the body may lose the answer.
            const length = figure({ short: 12, long: 30 })
            const answers = await Promise.all(Array.from({ length }, send))
            assert.isNotEmpty(answers.filter((answer) => answer !== null))
            for (const answer of answers) if (answer !== null) assert.strictEqual(answer.status, 402)
          })
          assert.isBelow(p99, 250)
        })
      })
    )

    it.effect("from an account that can pay are read in turn, and delay no other client", () =>
      Effect.gen(function* () {
        const { other, url } = yield* Victim
        yield* Effect.promise(async () => {
          const values = `[${"{},".repeat(200_000)}{}]`
          const wrong = Buffer.from(`{"delayMs":"never","value":${values}}`)
          const right = echo(values, 0)
          const submits = `${url}/sandbox/echo`
          const { p50, p99 } = await Probing.during({ url: submits, key: other }, async () => {
            const answers = await Promise.all(
              Array.from({ length: figure({ short: 12, long: 60 }) }, (_, index) =>
                post(submits, ServerProcess.apiKey, index % 2 === 0 ? wrong : right)
              )
            )
            for (const { status } of answers) assert.include([200, 400, 429, 503], status)
          })
          assert.isBelow(p50, 250)
          assert.isBelow(p99, 1_500)
        })
      })
    )
  })
})
