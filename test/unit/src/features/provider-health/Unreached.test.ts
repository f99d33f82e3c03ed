import { assert, describe, it } from "@effect/vitest"
import * as Unreached from "#src/features/provider-health/Unreached.ts"

describe("Unreached", () => {
  it("probes one at a time, at most 10 s apart during any outage", () => {
    const unreached = Unreached.make()
    assert.isTrue(unreached.fail("gpu", "connection_refused", 0))
    let now = 0
    const waits: Array<number> = []
    for (let probe = 0; probe < 1_000; probe++) {
      const at = unreached.probeAt("gpu") ?? NaN
      waits.push(at - now)
      assert.isFalse(unreached.beginProbe("gpu", at - 1))
      assert.isTrue(unreached.beginProbe("gpu", at))
      assert.isFalse(unreached.beginProbe("gpu", at))
      now = at
      assert.isFalse(unreached.fail("gpu", "dns_error", now))
    }
    assert.deepStrictEqual(waits.slice(0, 4), [1_000, 2_000, 4_000, 5_000])
    assert.isAtMost(Math.max(...waits) + Unreached.probeMs, 10_000)
    assert.strictEqual(unreached.reasonOf("gpu"), "dns_error")
  })

  it("ends with the first connection", () => {
    const unreached = Unreached.make()
    unreached.fail("gpu", "connection_refused", 0)
    assert.isTrue(unreached.reach("gpu", 500))
    assert.isNull(unreached.reasonOf("gpu"))
    assert.isNull(unreached.probeAt("gpu"))
    assert.isFalse(unreached.reach("gpu", 600))
  })

  it("probes less often when connections fail despite successful probes", () => {
    const unreached = Unreached.make()
    unreached.fail("gpu", "connection_refused", 0)
    unreached.reach("gpu", 1_000)
    unreached.fail("gpu", "connection_refused", 1_001)
    assert.strictEqual(unreached.probeAt("gpu"), 3_001)
    unreached.reach("gpu", 3_001)
    unreached.fail("gpu", "connection_refused", 100_000)
    assert.strictEqual(unreached.probeAt("gpu"), 101_000)
  })
})
