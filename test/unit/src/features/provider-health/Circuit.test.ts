import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as Circuit from "#src/features/provider-health/Circuit.ts"

const failures = (count: number, at = 0) => {
  let circuit = Circuit.make(0)
  for (let index = 0; index < count; index++) circuit = Circuit.ended(circuit, 0, "failed", at)
  return circuit
}

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
    const answered = Circuit.ended(failures(4), 0, "answered", 0)
    assert.strictEqual(Circuit.ended(answered, 0, "failed", 0)._tag, "Closed")
    assert.strictEqual(Circuit.ended(failures(4), 0, "failed", 60_000)._tag, "Closed")
    assert.strictEqual(Circuit.ended(failures(4), 0, "failed", 59_999)._tag, "Open")
  })

  it("opens when half of at least twenty runs failed, even if never many in a row", () => {
    const after = (count: number, signOf: (index: number) => Circuit.Sign) => {
      let circuit = Circuit.make(0)
      for (let index = 0; index < count; index++) circuit = Circuit.ended(circuit, 0, signOf(index), 0)
      return circuit._tag
    }
    const everySecond = (index: number) => (index % 2 === 0 ? "answered" : "failed")
    assert.deepStrictEqual([after(19, everySecond), after(20, everySecond)], ["Closed", "Open"])
    assert.strictEqual(
      after(1_000, (index) => (index % 5 < 2 ? "failed" : "answered")),
      "Closed"
    )
  })

  it("admits one run when it is half-open, and another one when that one does not end", () => {
    const halfOpen = Circuit.begun(failures(5), 5_000)
    assert.deepStrictEqual([Circuit.admits(halfOpen, 9_999), Circuit.admitsAt(halfOpen, 9_999)], [0, 10_000])
    assert.strictEqual(Circuit.admits(halfOpen, 10_000), 1)
    assert.strictEqual(Circuit.admits(Circuit.begun(halfOpen, 10_000), 10_000), 0)
  })

  it("closes on an answer, opens for twice as long on a failure, and at most for two minutes", () => {
    assert.strictEqual(Circuit.admits(probed(failures(5), "answered", 5_000), 5_000), Infinity)
    let circuit = failures(5)
    let now = 0
    for (const seconds of [5, 10, 20, 40, 80, 120, 120]) {
      assert.strictEqual(Circuit.admitsAt(circuit, now), now + seconds * 1_000)
      now += seconds * 1_000
      circuit = probed(circuit, "failed", now)
    }
  })

  it("admits another run when the test run is inconclusive", () => {
    assert.strictEqual(Circuit.admits(probed(failures(5), null, 5_000), 5_000), 1)
  })

  it("ignores runs from before it opened", () => {
    const open = failures(5)
    assert.strictEqual(Circuit.ended(open, 0, "answered", 1), open)
    const halfOpen = Circuit.begun(open, 5_000)
    assert.strictEqual(Circuit.ended(halfOpen, 0, "failed", 5_001), halfOpen)
    assert.strictEqual(Circuit.ended(halfOpen, 0, "answered", 5_001), halfOpen)
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
      sign: fc.constantFrom("failed", "failed", "answered", null)
    })
  },
  { weight: 2, arbitrary: fc.record({ _tag: fc.constant("Wait"), ms: fc.nat({ max: 30_000 }) }) }
)

describe("Whatever happens, a circuit", () => {
  it("never rejects all runs for more than two minutes, and reports when it ends", () => {
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
          assert.isAtMost(at, now + 120_000)
          assert.strictEqual(Circuit.admits(circuit, at - 1), 0)
          assert.isAbove(Circuit.admits(circuit, at), 0)
        }
      }),
      { numRuns: 300 }
    )
  })
})
