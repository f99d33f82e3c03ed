import { assert, describe, it } from "@effect/vitest"
import * as Unserved from "#src/features/webhooks/deliveries/Unserved.ts"

const lane = (accountId: string, origin: string) => ({ accountId, origin })

describe("A free slot leads to a read", () => {
  it("if the last read left out its lane, account or receiver", () => {
    const unserved = Unserved.make()
    unserved.begin({ accounts: ["one"], receivers: ["https://r"], lanes: [["two", "https://s"]] })
    assert.isTrue(unserved.has(lane("one", "https://any")))
    assert.isTrue(unserved.has(lane("any", "https://r")))
    assert.isTrue(unserved.has(lane("two", "https://s")))
    assert.isFalse(unserved.has(lane("two", "https://any")))
  })

  it("if anything was left out, until the next read", () => {
    const unserved = Unserved.make()
    unserved.noteAny()
    assert.isTrue(unserved.has(lane("one", "https://r")))
    unserved.begin({ accounts: [], receivers: [], lanes: [] })
    assert.isFalse(unserved.has(lane("one", "https://r")))
  })
})
