/** Which node tries a request first, and the share of each node: equal on all nodes without communication. */
import { assert, describe, it } from "@effect/vitest"
import { Array } from "effect"
import * as fc from "fast-check"
import * as Rendezvous from "#src/platform/cluster/Rendezvous.ts"
import * as Share from "#src/features/dispatch/Share.ts"
import * as ClaimTurns from "#src/platform/reactors/ClaimTurns.ts"

const nodes = fc
  .uniqueArray(fc.string({ minLength: 1, maxLength: 20 }), { minLength: 1, maxLength: 8 })
  .map((names) => names.sort())

const keys = Array.makeBy(3_000, (number) => `rq0qXk2Ab-${String(number).padStart(8, "0")}`)

describe("The order of the nodes for a key", () => {
  it("gives each its own rank, and the first one the lowest", () => {
    fc.assert(
      fc.property(fc.string(), nodes, (key, names) => {
        const ranks = names.map((name) => Rendezvous.rank(key, name, names))
        assert.deepStrictEqual([...ranks].sort(), [...names.keys()])
        assert.strictEqual(Rendezvous.first(key, names), names[ranks.indexOf(0)])
      })
    )
  })

  it("spreads keys over similar names, and moves only those of a leaving node", () => {
    const all = ["node-0", "node-1", "node-2"]
    const left = ["node-0", "node-2"]
    const owners = keys.map((key) => Rendezvous.first(key, all))
    for (const node of all) {
      assert.closeTo(owners.filter((owner) => owner === node).length, keys.length / 3, 150)
    }
    keys.forEach((key, index) => {
      if (owners[index] !== "node-1") assert.strictEqual(Rendezvous.first(key, left), owners[index])
    })
  })
})

describe("The shares of a model's concurrency", () => {
  it("add up to it, differ by at most one, and are zero exactly where nothing may be claimed", () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 40 }), nodes, (model, concurrency, names) => {
        const shares = names.map((name) => Share.of(model, concurrency, name, names))
        const runs = shares.map((share) => share.runs)
        assert.strictEqual(
          runs.reduce((sum, own) => sum + own, 0),
          concurrency
        )
        assert.isAtMost(Math.max(...runs) - Math.min(...runs), 1)
        const claiming = names.filter((_, index) => (runs[index] ?? 0) > 0)
        for (const share of shares) assert.deepStrictEqual(share.nodes, claiming)
      })
    )
  })

  it("of models for one run at a time are spread over all nodes", () => {
    const names = ["node-0", "node-1", "node-2"]
    for (const name of names) {
      const own = keys.filter((model) => Share.of(model, 1, name, names).runs === 1)
      assert.closeTo(own.length, keys.length / 3, 150)
    }
  })

  it("are zero for a node that the others do not know", () => {
    assert.strictEqual(Share.of("test/model", 9, "node-9", ["node-0", "node-1"]).runs, 0)
  })
})

describe("ClaimTurns", () => {
  const names = ["node-0", "node-1", "node-2"]
  const rows = keys.map((requestId) => ({ requestId, dueAt: 10_000 }))

  for (const late of [0, 1_999, 2_000, 60_000]) {
    it(`give each request to one node: ${late} ms after it fell due`, () => {
      const now = 10_000 + late
      const own = names.flatMap((name) => ClaimTurns.of(rows, name, names, now).rows)
      assert.lengthOf(own, rows.length)
      assert.strictEqual(new Set(own).size, rows.length)
    })
  }

  it("begin with the first node, and reach every other, a grace period for each", () => {
    for (const row of rows.slice(0, 100)) {
      const first = Rendezvous.first(row.requestId, names)
      const owners = [0, 1, 2].map((turn) =>
        names.find(
          (name) => ClaimTurns.of([row], name, names, 10_000 + turn * ClaimTurns.graceMs).rows.length === 1
        )
      )
      assert.strictEqual(owners[0], first)
      assert.strictEqual(new Set(owners).size, 3)
    }
  })

  it("rotate at the configured pace", () => {
    const grace = ClaimTurns.workersGraceMs
    for (const row of rows.slice(0, 100)) {
      const turnOf = (name: string) => ClaimTurns.of([row], name, names, 10_000, grace).nextAt ?? 10_000
      assert.sameMembers(names.map(turnOf), [10_000, 10_000 + grace, 10_000 + 2 * grace])
    }
  })

  it("are announced before they are due", () => {
    for (const row of rows.slice(0, 100)) {
      const [other] = names.filter((name) => name !== Rendezvous.first(row.requestId, names))
      if (other === undefined) return assert.fail()
      const { nextAt } = ClaimTurns.of([row], other, names, 10_500)
      assert.include([12_000, 14_000], nextAt)
      assert.lengthOf(ClaimTurns.of([row], other, names, (nextAt ?? 0) - 1).rows, 0)
      assert.lengthOf(ClaimTurns.of([row], other, names, nextAt ?? 0).rows, 1)
    }
  })

  it("all belong to a single node", () => {
    assert.deepStrictEqual(ClaimTurns.of(rows, "node-0", ["node-0"], 0), { rows, nextAt: null })
  })
})
