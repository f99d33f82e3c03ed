import { assert, test } from "vitest"
import { fractionOf, rebuiltFraction } from "#console/views/operate/fleet/Distance.ts"

test("a read model is as far as its position on the way to the end of the log", () => {
  assert.strictEqual(fractionOf({ position: "30", behind: 10 }), 0.75)
  assert.strictEqual(fractionOf({ position: "0", behind: 0 }), 1)
})

test("a rebuild is as far as its slowest copy, and nowhere before there is one", () => {
  const models = [
    { name: "history", rebuild: { position: "90", behind: 10 } },
    { name: "usage", rebuild: { position: "25", behind: 75 } },
    { name: "queues", rebuild: null }
  ]
  assert.strictEqual(rebuiltFraction(models, "history"), 0.9)
  assert.strictEqual(rebuiltFraction(models, null), 0.25)
  assert.isNull(rebuiltFraction(models, "queues"))
  assert.isNull(rebuiltFraction([], null))
})
