/** An audit that goes on from the stored state of an earlier one finds what an audit of the whole log finds. */
import * as zlib from "node:zlib"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import type { AccountId } from "#domain/Ids.ts"
import * as Auditor from "#src/features/billing/audit/Auditor.ts"
import { AuditFailed } from "#src/features/billing/audit/Invariant.ts"
import * as Period from "#src/features/billing/audit/Period.ts"
import * as Statement from "#src/features/billing/audit/Statement.ts"
import * as StoredState from "#src/features/billing/audit/StoredState.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as DataDirectory from "#test/support/streams/sqlite/DataDirectory.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as AuditedLog from "#test/support/src/features/billing/audit/AuditedLog.ts"

type Events = ReadonlyArray<RecordedEvent>

/** Every kind of end: the events by their streams. Those of accounts are first. */
let streams: ReadonlyArray<Events> = []

beforeAll(() =>
  Effect.gen(function* () {
    const directory = yield* TempDirectory.make
    const events = yield* DataDirectory.own(directory, Effect.andThen(AuditedLog.write, DataDirectory.events))
    streams = [...Map.groupBy(events, ({ stream }) => stream).values()]
  }).pipe(Effect.scoped, Effect.runPromise)
)

const numbered = (events: Events): Events =>
  events.map(
    ({ hash, id, ordinal, stream, text, time, type, version }, index) =>
      new RecordedEvent({
        position: GlobalPosition.GlobalPosition.make(String(index + 1)),
        hash,
        id,
        ordinal,
        stream,
        text,
        time,
        type,
        version
      })
  )

/** Events of streams in the order of `turns`, each stream in its own order. Accounts are opened first. */
const interleaved = (turns: ReadonlyArray<number>): Events => {
  const left = streams.map((events) => [...events])
  const log = left.flatMap((events) => (events[0]?.type === "AccountOpened" ? events.splice(0, 1) : []))
  for (const turn of turns) {
    const open = left.filter((events) => events.length > 0)
    const event = open[turn % Math.max(1, open.length)]?.shift()
    if (event !== undefined) log.push(event)
  }
  return [...log, ...left.flat()]
}

type Fault = "gone" | "twice" | "digit"

/** A fault that no intact log has, at one place. */
const faulty = (log: Events, place: number, fault: Fault): Events =>
  log.flatMap((event, index) => {
    if (index !== place) return [event]
    if (fault === "gone") return []
    if (fault === "twice") return [event, event]
    return [new RecordedEvent({ ...event, text: event.text.replace(/"(\d)(\d+)"/, '"9$2"') })]
  })

const logs = fc.record({
  turns: fc.array(fc.nat(), { minLength: 100, maxLength: 200 }),
  faults: fc.array(fc.tuple(fc.nat(90), fc.constantFrom<Fault>("gone", "twice", "digit")), { maxLength: 1 }),
  cut: fc.nat(100)
})

/** The end of a log, or the first failure. */
const auditOf = (log: Events, period: Period.Period, resumed?: Auditor.Resumed) => {
  const isWithin = Period.placeOf(period, resumed?.latest ?? null) === "within"
  const rows = Array.from(resumed?.accounts ?? [], ([accountId, account]) => {
    const row: readonly [AccountId, Statement.Row] = [accountId, Statement.carried(account, isWithin)]
    return row
  })
  const statement = Statement.make(period, rows)
  const booked: Array<string> = []
  const auditor = Auditor.make(
    {
      opened: (accountId, { time }) => statement.opened(accountId, time),
      booked: (entry) => {
        booked.push(
          `${entry.event.position} ${entry.billing} ${entry.entries.map(({ amount, kind }) => kind + amount)}`
        )
        statement.booked(entry)
      }
    },
    resumed
  )
  let failure: string | null = null
  try {
    for (const event of log) auditor.pass(event)
  } catch (error) {
    if (!(error instanceof AuditFailed)) throw error
    failure = error.message
  }
  return { failure, state: auditor.state, booked, rows: [...statement.rows] }
}

const textOf = (state: Auditor.AuditState) => zlib.zstdDecompressSync(StoredState.encode(state)).toString()

const all: Period.Period = { from: null, to: null }

/** Compares both audits of a log that is cut in two. Whether there was something to compare. */
const compare = (log: Events, cut: number, period: Period.Period): boolean => {
  const before = auditOf(log.slice(0, cut), period)
  const resumed = StoredState.decode(StoredState.encode(before.state))
  const whole = auditOf(log, period)
  if (before.failure !== null) {
    assert.strictEqual(before.failure, whole.failure)
    return false
  }
  if (resumed === null) return assert.fail("the state cannot be read")
  if (period.from !== null && Period.placeOf(period, resumed.latest) !== "before") return false
  const rest = auditOf(log.slice(cut), period, resumed)
  assert.strictEqual(rest.failure, whole.failure)
  assert.strictEqual(textOf(rest.state), textOf(whole.state))
  assert.deepStrictEqual([...before.booked, ...rest.booked], whole.booked)
  assert.deepStrictEqual(rest.rows, whole.rows)
  return true
}

describe("An audit that goes on from a stored state", () => {
  it("finds what a whole one finds, wherever the log is cut and whatever is wrong", () => {
    let compared = 0
    let failed = 0
    fc.assert(
      fc.property(logs, ({ cut, faults, turns }) => {
        const log = numbered(
          faults.reduce((log, [place, fault]) => faulty(log, place, fault), interleaved(turns))
        )
        if (compare(log, cut, all)) compared++
        if (auditOf(log.slice(cut), all).failure !== null) failed++
      }),
      { numRuns: 150 }
    )
    assert.isAbove(compared, 75)
    assert.isAbove(failed, 0)
  })

  it("gives the statement of a period after it", () => {
    const log = numbered(streams.flat().sort((a, b) => a.time - b.time))
    const { day, t0 } = AuditedLog
    let compared = 0
    for (let cut = 0; cut <= log.length; cut++) {
      const periods = [5, 11, 16].map((from) => ({ from: t0 + from * day, to: t0 + (from + 2) * day }))
      compared += periods.filter((period) => compare(log, cut, period)).length
    }
    assert.isAbove(compared, log.length)
  })

  it("refuses bytes that are not a state", () => {
    const bytes = StoredState.encode(auditOf(numbered(streams.flat()), all).state)
    assert.isNull(StoredState.decode(bytes.subarray(0, -9)))
    assert.isNull(StoredState.decode(zlib.zstdCompressSync('{"_tag":"Summary"}\n')))
    assert.isNull(StoredState.decode(zlib.zstdCompressSync("")))
  })
})
