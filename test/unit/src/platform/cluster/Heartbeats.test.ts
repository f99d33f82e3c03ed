import { assert, describe, it } from "@effect/vitest"
import * as Heartbeats from "#src/platform/cluster/Heartbeats.ts"

const self = "node_m"

/** A node with a heartbeat every 2 s that has listed `others` at 0. */
const listening = (...others: ReadonlyArray<string>) => {
  const heartbeats = Heartbeats.make({ self, deadMs: 8_000, lateMs: 4_000 })
  for (const node of others) heartbeats.heard(node, 0)
  heartbeats.listed(0)
  return heartbeats
}

/** Only its own heartbeats come back until that time. */
const echoes = (heartbeats: Heartbeats.Heartbeats, from: number, to: number) => {
  for (let at = from; at <= to; at += 2_000) heartbeats.echoed(at)
}

describe("Heartbeats", () => {
  it("considers no node dead before all have been listed", () => {
    const heartbeats = Heartbeats.make({ self, deadMs: 8_000, lateMs: 4_000 })
    assert.isTrue(heartbeats.isAlive("node_a", 0))
    assert.isTrue(heartbeats.listed(0))
    assert.isFalse(heartbeats.isAlive("node_a", 0))
    assert.isTrue(heartbeats.isAlive(self, 0))
  })

  it("returns all live nodes in the order of their names", () => {
    const heartbeats = listening("node_z", "node_a")
    assert.deepStrictEqual(heartbeats.live(), ["node_a", self, "node_z"])
    assert.isFalse(heartbeats.heard("node_a", 1))
    assert.isTrue(heartbeats.heard("node_b", 1))
    assert.isTrue(heartbeats.left("node_z"))
    assert.isFalse(heartbeats.left("node_z"))
    assert.deepStrictEqual(heartbeats.live(), ["node_a", "node_b", self])
  })

  it("considers a node dead after eight seconds of silence, and not earlier", () => {
    const heartbeats = listening("node_a")
    heartbeats.echoed(2_000)
    heartbeats.heard("node_a", 2_001)
    echoes(heartbeats, 4_000, 10_000)
    assert.isTrue(heartbeats.isAlive("node_a", 10_000))
    assert.isTrue(heartbeats.echoed(12_000))
    assert.isFalse(heartbeats.isAlive("node_a", 12_000))
    assert.deepStrictEqual(heartbeats.live(), [self])
  })

  it("gives the others eight seconds after its own heartbeats return", () => {
    const heartbeats = listening("node_a")
    heartbeats.echoed(2_000)
    // Paused or cut off.
    assert.isFalse(heartbeats.echoed(60_000))
    assert.deepStrictEqual(heartbeats.live(), ["node_a", self])
    echoes(heartbeats, 62_000, 66_000)
    assert.isTrue(heartbeats.isAlive("node_a", 66_000))
    assert.isTrue(heartbeats.echoed(68_000))
    assert.isFalse(heartbeats.isAlive("node_a", 68_000))
  })

  it("considers no node dead, not even an unknown one, while it hears nothing itself", () => {
    const heartbeats = listening("node_a")
    echoes(heartbeats, 2_000, 10_000)
    assert.isFalse(heartbeats.isAlive("node_a", 14_000))
    assert.isTrue(heartbeats.isAlive("node_a", 14_001))
    assert.isFalse(heartbeats.echoed(20_000))
    assert.isTrue(heartbeats.isAlive("node_a", 20_000))
    // Two in time, and the heartbeats of the others have arrived: that is a change.
    assert.isTrue(heartbeats.echoed(22_000))
    assert.isFalse(heartbeats.isAlive("node_a", 22_000))
  })

  it("waits for a new list after its watch failed", () => {
    const heartbeats = listening("node_a")
    heartbeats.deafened()
    heartbeats.echoed(9_000)
    assert.isTrue(heartbeats.isAlive("node_b", 9_000))
    assert.isTrue(heartbeats.listed(9_000))
    assert.isFalse(heartbeats.isAlive("node_b", 9_000))
    assert.isTrue(heartbeats.isAlive("node_a", 9_000))
  })
})
