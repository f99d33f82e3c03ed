import { assert, describe, it } from "@effect/vitest"
import { groupOf, privateAddresses } from "#src/edges/http/edge/AddressGroup.ts"

describe("the group of a client address", () => {
  it("is the /64 of an IPv6 address, and one group for all non-public addresses", () => {
    assert.strictEqual(groupOf("2606:2800:220:1::1"), groupOf("2606:2800:220:1:ffff:ffff:ffff:ffff"))
    assert.notStrictEqual(groupOf("2606:2800:220:1::1"), groupOf("2606:2800:220:2::1"))
    assert.strictEqual(groupOf("::ffff:93.184.216.34"), groupOf("93.184.216.34"))
    assert.notStrictEqual(groupOf("93.184.216.34"), privateAddresses)
    for (const inside of [
      "127.0.0.1",
      "::1",
      "::ffff:10.0.0.1",
      "192.168.1.2",
      "fe80::1%eth0",
      "fd00::1",
      "",
      "?"
    ]) {
      assert.strictEqual(groupOf(inside), privateAddresses, inside)
    }
  })
})
