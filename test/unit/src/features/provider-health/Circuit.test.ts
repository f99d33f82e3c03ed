import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as Circuit from "#src/features/provider-health/Circuit.ts"

const answered: Circuit.Sign = { _tag: "answered" }
const failed: Circuit.Sign = { _tag: "failed", input: null, request: null }
const faulted = (input: string): Circuit.Sign => ({ _tag: "faulted", input, request: null })

const after = (signs: ReadonlyArray<Circuit.Sign>, at = 0) =>
  signs.reduce((circuit, sign) => Circuit.ended(circuit, circuit.generation, sign, at), Circuit.make(0))

const times = (count: number, signOf: (index: number) => Circuit.Sign) =>
  Array.from({ length: count }, (_, index) => signOf(index))

const failures = (count: number, at = 0) =>
  after(
    times(count, () => failed),
    at
  )

/** The trial run, begun and ended at once. */
const probed = (circuit: Circuit.Circuit, sign: Circuit.Sign | null, now: number) => {
  const begun = Circuit.begun(circuit, now)
  return Circuit.ended(begun, begun.generation, sign, now)
}

describe("A circuit", () => {
  it("opens after five failures in a row, for 5 s", () => {
    assert.strictEqual(failures(4)._tag, "Closed")
    const open = failures(5)
    assert.deepStrictEqual([Circuit.admits(open, 4_999), Circuit.admitsAt(open, 4_999)], [0, 5_000])
    assert.strictEqual(Circuit.admits(open, 5_000), 1)
  })

  it("does not open for failures that are separated by a success, or by more than a minute", () => {
    const separated = Circuit.ended(failures(4), 0, answered, 0)
    assert.strictEqual(Circuit.ended(separated, 0, failed, 0)._tag, "Closed")
    assert.strictEqual(Circuit.ended(failures(4), 0, failed, 60_000)._tag, "Closed")
    assert.strictEqual(Circuit.ended(failures(4), 0, failed, 59_999)._tag, "Open")
  })

  it("opens when half of at least twenty runs failed, even if never many in a row", () => {
    const stateAfter = (count: number, signOf: (index: number) => Circuit.Sign) =>
      after(times(count, signOf))._tag
    const everySecond = (index: number) => (index % 2 === 0 ? answered : failed)
    assert.deepStrictEqual([stateAfter(19, everySecond), stateAfter(20, everySecond)], ["Closed", "Open"])
    assert.strictEqual(
      stateAfter(1_000, (index) => (index % 5 < 2 ? failed : answered)),
      "Closed"
    )
  })

  it.each(["faulted", "failed"] as const)("never opens for one input, however often it %s", (_tag) => {
    const one: Circuit.Sign = { _tag, input: "one", request: null }
    const two: Circuit.Sign = { _tag, input: "two", request: null }
    assert.strictEqual(after([answered, ...times(1_000, () => one)])._tag, "Closed")
    assert.strictEqual(
      after([answered, ...times(1_000, (index) => (index % 2 === 0 ? one : two))])._tag,
      "Closed"
    )
    assert.strictEqual(after(times(1_000, (index) => (index % 2 === 0 ? one : answered)))._tag, "Closed")
    assert.strictEqual(
      after(times(5, (index) => ({ _tag, input: String(index), request: null })))._tag,
      "Open"
    )
  })

  it.each([
    ["failures of a provider that answers nothing", "failed"],
    ["overloads", "overloaded"]
  ] as const)("counts %s by request", (_name, _tag) => {
    const of = (request: string): Circuit.Sign => ({ _tag, input: "one", request })
    assert.strictEqual(after(times(100, () => of("one")))._tag, "Closed")
    assert.strictEqual(after(times(5, (index) => of(String(index))))._tag, "Open")
  })

  it("does not open for faults with a success between them, however many", () => {
    const mixed = times(1_000, (index) => (index % 3 === 0 ? answered : faulted(String(index))))
    assert.strictEqual(after(mixed)._tag, "Closed")
  })

  it("tries another run when the trial run had an input that had faulted before", () => {
    const open = after(times(5, (index) => faulted(String(index))))
    assert.strictEqual(Circuit.admits(probed(open, faulted("3"), 5_000), 5_000), 1)
    assert.strictEqual(Circuit.admits(probed(open, faulted("new"), 5_000), 5_000), 0)
  })

  it("admits one run when it is half-open, and another one when that one does not end", () => {
    const halfOpen = Circuit.begun(failures(5), 5_000)
    assert.deepStrictEqual([Circuit.admits(halfOpen, 9_999), Circuit.admitsAt(halfOpen, 9_999)], [0, 10_000])
    assert.strictEqual(Circuit.admits(halfOpen, 10_000), 1)
    assert.strictEqual(Circuit.admits(Circuit.begun(halfOpen, 10_000), 10_000), 0)
  })

  it("closes on an answer, opens for twice as long on a failure, and at most for ten seconds", () => {
    assert.strictEqual(Circuit.admits(probed(failures(5), answered, 5_000), 5_000), Infinity)
    let circuit = failures(5)
    let now = 0
    for (const seconds of [5, 10, 10, 10]) {
      assert.strictEqual(Circuit.admitsAt(circuit, now), now + seconds * 1_000)
      now += seconds * 1_000
      circuit = probed(circuit, failed, now)
    }
  })

  it("admits another run when the test run is inconclusive", () => {
    assert.strictEqual(Circuit.admits(probed(failures(5), null, 5_000), 5_000), 1)
  })

  it("ignores runs from before it opened", () => {
    const open = failures(5)
    assert.strictEqual(Circuit.ended(open, 0, answered, 1), open)
    const halfOpen = Circuit.begun(open, 5_000)
    assert.strictEqual(Circuit.ended(halfOpen, 0, failed, 5_001), halfOpen)
    assert.strictEqual(Circuit.ended(halfOpen, 0, answered, 5_001), halfOpen)
  })
})

type Step =
  | { readonly _tag: "Begin" }
  | { readonly _tag: "End"; readonly run: number; readonly sign: Circuit.Sign | null }
  | { readonly _tag: "Wait"; readonly ms: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Step>({ _tag: "Begin" }) },
  {
    weight: 6,
    arbitrary: fc.record({
      _tag: fc.constant("End"),
      run: fc.nat({ max: 9 }),
      sign: fc.constantFrom(failed, failed, faulted("one"), answered, null)
    })
  },
  { weight: 2, arbitrary: fc.record({ _tag: fc.constant("Wait"), ms: fc.nat({ max: 30_000 }) }) }
)

describe("Whatever happens, a circuit", () => {
  it("never rejects all runs for more than ten seconds, and reports when it ends", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        let circuit = Circuit.make(0)
        let now = 0
        const runs: Array<number> = []
        for (const next of steps) {
          if (next._tag === "Wait") now += next.ms
          else if (next._tag === "Begin" && Circuit.admits(circuit, now) > 0) {
            circuit = Circuit.begun(circuit, now)
            runs.push(circuit.generation)
          } else if (next._tag === "End") {
            const [generation] = runs.splice(next.run, 1)
            if (generation !== undefined) circuit = Circuit.ended(circuit, generation, next.sign, now)
          }
          const at = Circuit.admitsAt(circuit, now)
          assert.strictEqual(at === null, Circuit.admits(circuit, now) > 0)
          if (at === null) continue
          assert.isAbove(at, now)
          assert.isAtMost(at, now + 10_000)
          assert.strictEqual(Circuit.admits(circuit, at - 1), 0)
          assert.isAbove(Circuit.admits(circuit, at), 0)
        }
      }),
      { numRuns: 300 }
    )
  })
})
