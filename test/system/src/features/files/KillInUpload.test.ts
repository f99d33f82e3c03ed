/**
 * `kill -9` during PUTs and completes: no partial files and no leftovers.
 * @cost It kills a server in the middle of uploads and starts it again.
 */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { verifyDirectory } from "#streams/sqlite/SqliteVerify.ts"
import * as LogOnDisk from "#test/support/LogOnDisk.ts"
import { randomFrom } from "#test/support/Load.ts"
import * as StorePlace from "#test/support/src/features/files/upload-flows/StorePlace.ts"
import * as Unsettled from "#test/support/src/features/files/upload-flows/Unsettled.ts"
import * as UploadServer from "#test/support/src/features/files/upload-flows/UploadServer.ts"

const cycles = Number(process.env["KILL_CYCLES"] ?? 2)

/** The kill comes after a random number of answered uploads, and up to this many ms later. */
const spreadMs = 20

const part = 5 * 1024 * 1024

/** Uploads in every state: one whose bytes do not all arrive, and some that end when `finish` runs. */
const begin = Effect.gen(function* () {
  const begun = yield* Effect.all(
    [
      Unsettled.inParts([part, 1_000]),
      Unsettled.inParts([300_000]),
      Unsettled.inParts([1]),
      Unsettled.single(3_000_000, 2_999_999),
      Unsettled.single(500_000, 250_000),
      Unsettled.single(9, 0)
    ],
    { concurrency: "unbounded" }
  )
  const half = yield* Unsettled.single(2_000_000, 1_500_000)
  return {
    ending: begun.map(({ unsettled }) => unsettled),
    half: half.unsettled,
    finish: Effect.all(
      begun.map(({ finish }) => finish),
      { discard: true }
    )
  }
})

/** Resolves when this many of them are answered. */
const untilAnswered = (all: ReadonlyArray<Unsettled.Unsettled>, count: number): Promise<void> =>
  new Promise((resolve) => {
    let answered = 0
    const check = () => answered >= count && resolve()
    check()
    for (const upload of all) void upload.answered.then(() => (answered++, check()))
  })

/** Kills a server during all of them. */
const cutOff = Effect.fnUntraced(function* (
  { process }: UploadServer.Running,
  random: ReturnType<typeof randomFrom>
) {
  const { ending, finish, half } = yield* begin
  yield* finish
  yield* Effect.promise(() => untilAnswered(ending, random(ending.length + 1)))
  yield* Effect.sleep(random(spreadMs))
  yield* Effect.promise(() => process.kill("SIGKILL"))
  yield* Effect.promise(() => Promise.all(ending.map(({ answered }) => answered)))
  return { ending, half }
}, Effect.scoped)

/** Checks them on another server. Returns how many existed for it. */
const recover = Effect.fnUntraced(function* (
  { place }: UploadServer.Running,
  { ending, half }: Effect.Success<ReturnType<typeof cutOff>>
) {
  assert.deepStrictEqual(yield* place.keys("~"), [], "nothing that came is left over")
  assert.isFalse(yield* Unsettled.check(half), "half a file is none")
  const wereThere = yield* Effect.forEach(ending, Unsettled.check, { concurrency: 3 })
  assert.deepStrictEqual(yield* place.keys("~"), [])
  assert.deepStrictEqual(yield* place.awaited, [])
  return wereThere.filter(Boolean).length
})

UploadServer.overBothStores("kill -9 in the middle of uploads", (store) => {
  // On S3 less can be cut off, because the bytes do not pass through the server.
  const rounds = store === "disk" ? cycles : Math.ceil(cycles / 2)
  it.live(
    "leaves whole files or none, and a retry succeeds",
    () =>
      Effect.gen(function* () {
        const seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000)
        const random = randomFrom(seed)
        const place = yield* StorePlace.make(store)
        const found: Array<number> = []
        let server = yield* UploadServer.start(place)
        for (let round = 0; round < rounds; round++) {
          const left = yield* Effect.provideService(cutOff(server, random), UploadServer.UploadServer, server)
          server = yield* UploadServer.start(place)
          found.push(yield* Effect.provideService(recover(server, left), UploadServer.UploadServer, server))
        }
        process.stdout.write(
          `kill -9 in uploads over ${store}: SEED=${seed}, found after each: ${found.join(" ")}\n`
        )
        yield* Effect.promise(() => server.process.kill("SIGTERM"))
        const { events } = yield* Effect.provide(
          verifyDirectory(place.dataDirectory),
          LogOnDisk.layer(place.dataDirectory)
        )
        assert.isAbove(events, rounds * 12)
      }),
    30_000 + rounds * 30_000
  )
})
