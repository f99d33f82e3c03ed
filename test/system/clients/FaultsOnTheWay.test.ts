/**
 * Each client at a real server, over connections that break at many bytes of requests and of answers: what it gives is right and whole,
 * and the server has done it once.
 * @cost Three clients, each through every kind of fault of a connection.
 */
import { afterAll, assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Inferlog } from "#clients/typescript/Inferlog.ts"
import type { Driver, DriverCall, Played } from "#test/support/clients/Driver.ts"
import type { Fault } from "#test/support/clients/FaultyProxy.ts"
import * as Python from "#test/support/clients/Python.ts"
import * as PythonDriver from "#test/support/clients/PythonDriver.ts"
import * as ServerBehindProxy from "#test/support/clients/ServerBehindProxy.ts"
import * as TypescriptDriver from "#test/support/clients/TypescriptDriver.ts"
import * as UploadBytes from "#test/support/clients/UploadBytes.ts"
import * as TestServer from "#test/support/TestServer.ts"

const seed = Number(process.env["SEED"] ?? Math.floor(Math.random() * 1_000_000))
/** How many bytes of requests, and of answers, a call is cut off at. */
const cuts = Number(process.env["CUTS"] ?? 6)

const python = PythonDriver.make()
const drivers: ReadonlyArray<Driver> = [TypescriptDriver.driver, ...python.drivers]
/** Without Python and its packages, its tests are skipped. */
const isMissing = (driver: Driver) => !Python.has("httpx") && driver !== TypescriptDriver.driver

afterAll(python.close)

const { teller, told } = ServerBehindProxy
const text = told.join("")
const input = { value: "hello" }
const MiB = 2 ** 20

/** Places over a length, with a beginning that the seed chooses. */
const places = (length: number, count: number): ReadonlyArray<number> => {
  const stride = Math.max(1, Math.floor(length / count))
  return Array.from(
    { length: Math.ceil(length / stride) },
    (_, index) => (seed % stride) + index * stride
  ).filter((place) => place < length)
}

const field = (value: unknown, name: string): unknown => Reflect.get(Object(value), name)
const itemsOf = ({ items = [] }: Played, type: string) => items.filter((item) => field(item, "type") === type)

const refusals: Fault = { refusals: [503, 429] }
/** What else happens to answers. Those to uploads are too small for it to matter. */
const ofAnswers: ReadonlyArray<Fault> = [{ duplicates: true }, { packets: 7 }]

/** Cuts at bytes of what passes without a fault. */
const cutsOf = (passed: { readonly answers: number; readonly requests: number }, count: number) => [
  ...places(passed.answers, count).map((answers): Fault => ({ answers })),
  ...places(passed.requests, count).map((requests): Fault => ({ requests }))
]

layer(ServerBehindProxy.layer, { excludeTestServices: true })(`faults on the way (SEED=${seed})`, (it) => {
  /** Reads from the server itself. */
  const read = Effect.fnUntraced(function* (path: string) {
    const { key, port } = yield* TestServer.TestServer
    const answer = yield* Effect.promise(() =>
      fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: key } }).then(
        (response) => response.json() as Promise<unknown>
      )
    )
    return answer
  })
  const submitted = Effect.gen(function* () {
    const { key, port } = yield* TestServer.TestServer
    const headers = { authorization: key, "content-type": "application/json" }
    const answer = yield* Effect.promise(() =>
      fetch(`http://127.0.0.1:${port}/${teller}`, {
        method: "POST",
        headers,
        body: JSON.stringify(input)
      }).then((response) => response.json() as Promise<unknown>)
    )
    return String(field(answer, "request_id"))
  })
  const requests = Effect.map(read("/requests"), (list) => Number(field(list, "total")))
  const spent = Effect.map(
    read("/account/balance"),
    (balance) => -Math.round(Number(field(balance, "balance")) * 1e6)
  )

  /** Plays a call without a fault, and then with each. Returns how often it was played. */
  const suffering = Effect.fnUntraced(function* (
    driver: Driver,
    makeCall: Effect.Effect<DriverCall, never, TestServer.TestServer>,
    check: (played: Played, fault: Fault) => void,
    count = cuts,
    others = ofAnswers
  ) {
    const proxy = yield* ServerBehindProxy.Behind
    const { key } = yield* TestServer.TestServer
    const play = Effect.fnUntraced(function* (fault: Fault) {
      const call = yield* makeCall
      proxy.suffer(fault)
      const client = { url: proxy.url, key: key.replace("Key ", ""), now: Date.now() }
      const played = yield* Effect.promise(() => driver.play(client, call, new AbortController().signal))
      const at = JSON.stringify(fault)
      assert.isUndefined(played.error, `${at}: ${played.error?.message}`)
      check(played, fault)
    })
    yield* play({})
    const faults = [...cutsOf(proxy.passed(), count), refusals, ...others]
    let cut = 0
    for (const fault of faults) {
      yield* play(fault)
      cut += proxy.passed().cuts
    }
    // What passes is not equally long each time, so the last places may lie behind its end.
    assert.isAtLeast(cut, count)
    return faults.length + 1
  })

  for (const driver of drivers) {
    const { name } = driver
    const test = isMissing(driver) ? it.effect.skip : it.effect

    test(`${name}: run gives the output, of one request that is charged once`, () =>
      Effect.gen(function* () {
        const before = [yield* requests, yield* spent] as const
        const call = { do: "run", args: { model: teller, input } }
        const plays = yield* suffering(driver, Effect.succeed(call), ({ value }, fault) =>
          assert.strictEqual(value, text, JSON.stringify(fault))
        )
        assert.strictEqual((yield* requests) - before[0], plays)
        assert.strictEqual((yield* spent) - before[1], plays * 1_000)
      }))

    test(`${name}: stream gives each chunk once, of one request`, () =>
      Effect.gen(function* () {
        const before = yield* requests
        const call = { do: "stream", args: { model: teller, input } }
        const plays = yield* suffering(driver, Effect.succeed(call), (played, fault) => {
          const last = (played.items ?? []).findLastIndex((item) => field(item, "type") === "restart")
          const chunks = (played.items ?? [])
            .slice(last + 1)
            .filter((item) => field(item, "type") === "chunk")
          const at = JSON.stringify(fault)
          assert.strictEqual(chunks.map((chunk) => field(chunk, "data")).join(""), text, at)
          assert.strictEqual(itemsOf(played, "request").length, 1, at)
          assert.strictEqual(field(played.items?.[0], "type"), "request", at)
          assert.strictEqual(field(played.items?.at(-1), "type"), "done", at)
        })
        assert.strictEqual((yield* requests) - before, plays)
      }))

    test(`${name}: subscribe gives each status once, up to the last`, () =>
      Effect.gen(function* () {
        const call = Effect.map(submitted, (id) => ({
          do: "subscribe",
          args: { ref: { id, modelEndpoint: teller } }
        }))
        yield* suffering(driver, call, ({ items = [] }, fault) => {
          const statuses = items.map((item) => String(field(item, "status")))
          const at = `${JSON.stringify(fault)}: ${statuses.join()}`
          assert.strictEqual(statuses.at(-1), "COMPLETED", at)
          assert.strictEqual(statuses.filter((status) => status === "COMPLETED").length, 1, at)
          assert.deepStrictEqual(items.length, new Set(items.map((item) => JSON.stringify(item))).size, at)
        })
      }))

    test(`${name}: requests.stream gives each change once, up to the end of the request`, () =>
      Effect.gen(function* () {
        const call = Effect.map(submitted, (id) => ({
          do: "requests.stream",
          args: { filter: { requestIds: [id] } }
        }))
        yield* suffering(driver, call, (played, fault) => {
          const statuses = itemsOf(played, "status").map((item) => field(field(item, "data"), "status"))
          const at = `${JSON.stringify(fault)}: ${statuses.join()}`
          assert.strictEqual(statuses.at(-1), "COMPLETED", at)
          assert.strictEqual(new Set(statuses).size, statuses.length, at)
        })
      }))

    const uploads = (size: number, count: number, options: object) =>
      Effect.gen(function* () {
        const files = Effect.map(
          read("/files?limit=100"),
          (list) => field(list, "data") as ReadonlyArray<unknown>
        )
        const stored = Effect.map(files, (found) =>
          found
            .filter((file) => field(file, "status") === "uploaded")
            .map((file) => String(field(file, "id")))
        )
        const urls: Array<string> = []
        const call = { do: "files.upload", args: { bytes: size, options: { fileName: "a.bin", ...options } } }
        yield* suffering(driver, Effect.succeed(call), ({ value }) => urls.push(String(value)), count, [])
        assert.strictEqual(new Set(urls).size, urls.length)
        const { port } = yield* TestServer.TestServer
        for (const url of urls) {
          const { pathname } = new URL(url)
          const answer = yield* Effect.promise(() => fetch(`http://127.0.0.1:${port}${pathname}`))
          const bytes = Buffer.from(yield* Effect.promise(() => answer.arrayBuffer()))
          assert.isTrue(bytes.equals(UploadBytes.bytes(0, size)), url)
        }
        const ids = (yield* stored).filter((id) => urls.some((url) => url.includes(`/media/${id}/`)))
        assert.strictEqual(ids.length, urls.length)
      })

    test(`${name}: a download gives each byte once`, () =>
      Effect.gen(function* () {
        const proxy = yield* ServerBehindProxy.Behind
        const { key } = yield* TestServer.TestServer
        proxy.suffer({})
        const { files } = new Inferlog({ url: proxy.url, key: key.replace("Key ", "") })
        const numbers = Array.from({ length: 2_000 }, (_, index) => `${index} `).join("")
        const url = yield* Effect.promise(() => files.upload(new Blob([numbers])))
        const call = { do: "files.download", args: { url } }
        yield* suffering(driver, Effect.succeed(call), ({ value }, fault) =>
          assert.strictEqual(value, numbers, JSON.stringify(fault))
        )
      }))

    test(`${name}: a file in one PUT arrives whole`, () => uploads(40_000, cuts, {}))

    test(`${name}: a file in parts arrives whole`, () => uploads(5 * MiB + 1_000, 2, { partSize: 5 * MiB }))
  }
})
