/** The drawing of a timeline: lanes, the axis with its cuts, and the states. */
import { assert, describe, it } from "@effect/vitest"
import * as Lanes from "#console/views/requests/timeline/Lanes.ts"
import * as StateFacts from "#console/views/requests/timeline/StateFacts.ts"
import * as TimeScale from "#console/views/requests/timeline/TimeScale.ts"
import { at, event, repeated } from "#test/support/console/Timelines.ts"

const barsOf = (lanes: ReadonlyArray<Lanes.Lane>, name: string) =>
  (lanes.find((lane) => lane.name === name)?.bars ?? []).map(({ from, look, to }) => [
    from - at(0),
    to - at(0),
    look
  ])

describe("The lanes of a timeline", () => {
  const lanes = Lanes.of(repeated, at(60_000))

  it("have a bar for each time that the request was in a phase", () => {
    assert.deepStrictEqual(barsOf(lanes, "Queue"), [
      [0, 10, "usual"],
      [120, 5_120, "again"]
    ])
    assert.deepStrictEqual(barsOf(lanes, "Claim"), [
      [10, 20, "usual"],
      [5_120, 5_130, "usual"]
    ])
    assert.deepStrictEqual(barsOf(lanes, "Run"), [
      [20, 120, "failed"],
      [5_130, 5_330, "usual"]
    ])
    assert.deepStrictEqual(barsOf(lanes, "Money"), [[0, 5_330, "held"]])
  })

  it("have one for the attempts of each webhook delivery", () => {
    assert.deepStrictEqual(barsOf(lanes, "Webhook: completed"), [
      [5_350, 5_400, "failed"],
      [10_400, 10_420, "usual"]
    ])
  })

  it("mark each event once", () => {
    const marked = lanes.flatMap(({ marks }) => marks.map(({ index }) => index))
    assert.deepStrictEqual(
      marked.toSorted((a, b) => a - b),
      repeated.map((_, index) => index)
    )
  })

  it("let what still lasts go on until now", () => {
    const open = Lanes.of(repeated.slice(0, 3), at(900))
    assert.deepStrictEqual(barsOf(open, "Run"), [[20, 900, "usual"]])
    assert.deepStrictEqual(barsOf(open, "Money"), [[0, 900, "held"]])
    assert.isTrue(open.find(({ kind }) => kind === "run")?.bars[0]?.isOpen)
  })

  it("join the reports of one run", () => {
    const running = { phase: "running", attempt: 1 } as const
    const events = [
      ...repeated.slice(0, 3),
      event(50, "ProgressReported", running),
      event(80, "ProgressReported", running)
    ]
    assert.deepStrictEqual(barsOf(Lanes.of(events, at(100)), "Run"), [[20, 100, "usual"]])
  })
})

describe("The axis of a timeline", () => {
  const times = repeated.map((entry) => Date.parse(entry.at))
  const lanes = Lanes.of(repeated, at(10_420))
  const busy = lanes.filter(({ kind }) => kind !== "queue" && kind !== "money").flatMap(({ bars }) => bars)

  it("cuts long stretches in which nothing ran", () => {
    const scale = TimeScale.make(times, busy)
    assert.deepStrictEqual(
      scale.filter(({ isCut }) => isCut).map(({ from, to }) => [from - at(0), to - at(0)]),
      [
        [120, 5_120],
        [5_400, 10_400]
      ]
    )
    // The 200 ms of the second run are most of what is left.
    assert.isAbove(TimeScale.positionOf(scale, at(5_330)) - TimeScale.positionOf(scale, at(5_130)), 0.4)
  })

  it("never cuts a run, however long", () => {
    const scale = TimeScale.make([at(0), at(5), at(600_000), at(600_010)], [{ from: at(5), to: at(600_000) }])
    assert.isFalse(scale.some(({ isCut }) => isCut))
  })

  it("keeps the order of times, from 0 to 1", () => {
    const scale = TimeScale.make(times, busy)
    const positions = times.map((time) => TimeScale.positionOf(scale, time))
    assert.deepStrictEqual(
      positions,
      positions.toSorted((a, b) => a - b)
    )
    assert.strictEqual(positions[0], 0)
    assert.approximately(positions.at(-1) ?? 0, 1, 1e-9)
    assert.strictEqual(TimeScale.positionOf(TimeScale.make([at(0)], []), at(0)), 0)
  })

  it("has ticks at round times, apart from each other", () => {
    const ticks = TimeScale.ticksOf(TimeScale.make([at(0), at(3_700)], []), 0.1)
    assert.deepStrictEqual(
      ticks.map(({ time }) => time - at(0)),
      [0, 500, 1_000, 1_500, 2_000, 2_500, 3_000, 3_500]
    )
    const cut = TimeScale.ticksOf(TimeScale.make(times, busy), 0.1)
    cut
      .slice(1)
      .forEach(({ position }, index) => assert.isAtLeast(position - (cut[index]?.position ?? 0), 0.1))
  })
})

describe("The state after an event", () => {
  const states = repeated.flatMap(({ state }) => state ?? [])
  const named = (index: number, name: string) =>
    StateFacts.of(states, index).find((fact) => fact.name === name)

  it("says what the event changed", () => {
    assert.deepStrictEqual(named(7, "Status"), { name: "Status", value: "Completed", before: "Running" })
    assert.deepStrictEqual(named(7, "Held"), { name: "Held", value: "$0.00", before: "$0.002" })
    assert.deepStrictEqual(named(7, "Run"), { name: "Run", value: "2", before: null })
  })

  it("changes nothing at the first event, for there is nothing before", () => {
    assert.isTrue(StateFacts.of(states, 0).every(({ before }) => before === null))
  })

  it("has the same facts after each event, so that nothing jumps", () => {
    const names = states.map((_, index) => StateFacts.of(states, index).map(({ name }) => name))
    for (const one of names) assert.deepStrictEqual(one, names[0])
    assert.isFalse(names[0]?.includes("Error"))
  })
})
