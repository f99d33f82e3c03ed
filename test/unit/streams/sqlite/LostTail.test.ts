/**
 * A log after a crash that damaged its files: it opens with a prefix of the acknowledged events, and missing events
 * are reported. Failures print the seed.
 */
import * as fs from "node:fs"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import * as fc from "fast-check"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as DataDirectory from "#test/support/streams/sqlite/DataDirectory.ts"

const scope = Scope.makeUnsafe()
/** The directory that cases are restored under. */
let parent = ""
/** Files in the state of a crash: the first half of the events in the database, the second in the WAL. */
let crashed: ReadonlyMap<string, Buffer> = new Map()
/** Files of a log that was closed. */
let closed: ReadonlyMap<string, Buffer> = new Map()
let acknowledged: Array<string> = []

const half = 60

const writeHalf = (prefix: string) =>
  Effect.forEach(
    Array.from({ length: half }).keys(),
    (index) => DataDirectory.append(`s${index % 11}`, `${prefix}${index}`, { text: "x".repeat(index * 7) }),
    { concurrency: 3 }
  )

const idsAndTexts = Effect.map(DataDirectory.events, (events) =>
  events.map(({ position, stream, id, text }) => `${position} ${stream} ${id} ${text}`)
)

beforeAll(() =>
  Effect.gen(function* () {
    parent = yield* Scope.provide(TempDirectory.make, scope)
    const directory = DataDirectory.restore(parent, "written", new Map())
    yield* DataDirectory.own(directory, writeHalf("a"))
    yield* DataDirectory.own(
      directory,
      Effect.gen(function* () {
        yield* writeHalf("b")
        acknowledged = yield* idsAndTexts
        crashed = DataDirectory.snapshot(directory)
      })
    )
    closed = DataDirectory.snapshot(directory)
  }).pipe(Effect.runPromise)
)
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

let cases = 0
const restored = <A>(
  files: ReadonlyMap<string, Buffer>,
  use: (directory: string) => Promise<A>
): Promise<A> => {
  const directory = DataDirectory.restore(parent, `case${cases++}`, files)
  return use(directory).finally(() => fs.rmSync(directory, { recursive: true }))
}

type Damage = (bytes: Buffer) => Buffer

const fraction = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
const truncation: fc.Arbitrary<Damage> = fraction.map(
  (at) => (bytes) => bytes.subarray(0, Math.floor(at * (bytes.length + 1)))
)
const flip: fc.Arbitrary<Damage> = fc
  .tuple(fraction, fc.integer({ min: 0, max: 7 }))
  .map(([at, bit]) => (bytes) => {
    const offset = Math.floor(at * bytes.length)
    return Buffer.from(bytes.with(offset, (bytes[offset] ?? 0) ^ (1 << bit)))
  })

const damaged = (files: ReadonlyMap<string, Buffer>, name: string, damage: Damage) =>
  new Map(files).set(name, damage(files.get(name) ?? Buffer.alloc(0)))

const failureOf = <A, E>(exit: Exit.Exit<A, E>): unknown =>
  Exit.isFailure(exit) ? exit.cause.reasons.find((reason) => reason._tag === "Fail")?.error : undefined

const valueOf = <A, E>(exit: Exit.Exit<A, E>): A | undefined =>
  Exit.isSuccess(exit) ? exit.value : undefined

const open = (directory: string) => Effect.runPromiseExit(DataDirectory.own(directory, idsAndTexts))
const verify = (directory: string) => Effect.runPromiseExit(DataDirectory.verify(directory))

describe("A log that a crash has damaged", () => {
  it("opens completely if nothing is damaged", () =>
    restored(crashed, async (directory) => {
      assert.isAbove(crashed.get("log.sqlite-wal")?.length ?? 0, 0)
      assert.deepStrictEqual(valueOf(await open(directory)), acknowledged)
    }))

  it("opens as a prefix of the acknowledged events, and reports missing ones without changing the files (WAL)", () =>
    fc.assert(
      fc.asyncProperty(fc.oneof({ weight: 2, arbitrary: truncation }, flip), (damage) =>
        restored(damaged(crashed, "log.sqlite-wal", damage), async (directory) => {
          const verified = await verify(directory)
          const before = DataDirectory.snapshot(directory)
          const opened = await open(directory)
          if (Exit.isFailure(opened)) assert.deepStrictEqual(DataDirectory.snapshot(directory), before)
          fs.rmSync(DataDirectory.files(directory).head)
          const events = valueOf(await open(directory)) ?? []
          assert.deepStrictEqual(events, acknowledged.slice(0, events.length))
          assert.isAtLeast(events.length, half)
          if (events.length === acknowledged.length) {
            assert.isTrue(Exit.isSuccess(verified) && Exit.isSuccess(opened))
          } else {
            assert.deepInclude(failureOf(opened), {
              _tag: "LogTruncated",
              found: events.length,
              expected: acknowledged.length
            })
            assert.deepInclude(failureOf(verified), { _tag: "LogBroken", position: String(events.length) })
          }
        })
      ),
      { numRuns: 200 }
    ))

  it("reads as written, or reports the damage (database file)", () =>
    fc.assert(
      fc.asyncProperty(fc.oneof(truncation, { weight: 3, arbitrary: flip }), (damage) =>
        restored(damaged(closed, "log.sqlite", damage), async (directory) => {
          const verified = await verify(directory)
          const opened = await open(directory)
          if (Exit.isFailure(verified)) {
            assert.include(["LogBroken", "EventStoreError"], tagOf(failureOf(verified)))
          } else {
            assert.deepStrictEqual(valueOf(opened), acknowledged)
          }
          if (Exit.isFailure(opened)) {
            assert.include(["LogTruncated", "LogUnavailable", "EventStoreError"], tagOf(failureOf(opened)))
          }
        })
      ),
      { numRuns: 150 }
    ))
})

const tagOf = (error: unknown): unknown =>
  typeof error === "object" && error !== null && "_tag" in error ? error._tag : error
