import { assert, describe, it } from "@effect/vitest"
import * as SignInLimits from "#src/edges/oauth/SignIn.ts"

const acme = "acc_0123456789abcdef"
const address = "93.184.216.34"

const limitsAt = () => {
  const takeAttempt = SignInLimits.makeSignInLimits()
  let now = 1_000_000
  const take = (account: string | null, clientAddress: string) => takeAttempt({ account, clientAddress }, now)
  return {
    wait: (seconds: number) => void (now += seconds * 1_000),
    take,
    /** Seconds to wait; `null` for an admitted attempt, which failed. */
    fail: (account: string | null, clientAddress: string) => {
      const { waitSeconds } = take(account, clientAddress)
      return waitSeconds === 0 ? null : waitSeconds
    }
  }
}

const times = <A>(count: number, run: (index: number) => A) =>
  Array.from({ length: count }, (_, index) => run(index))

describe("The limits of signing in", () => {
  it("allow 10 wrong passwords per account from all addresses, and then one every 90 seconds", () => {
    const { fail, wait } = limitsAt()
    const failed = times(10, (index) => fail(acme, `93.184.216.${index}`))
    assert.deepStrictEqual([...new Set(failed)], [null])
    assert.strictEqual(fail(acme, "93.184.216.99"), 90)
    assert.strictEqual(fail(acme, ""), 90)
    wait(89)
    assert.strictEqual(fail(acme, ""), 1)
    wait(1)
    assert.isNull(fail(acme, ""))
    assert.strictEqual(fail(acme, ""), 90)
    wait(15 * 60)
    assert.deepStrictEqual([...new Set(times(10, () => fail(acme, "")))], [null])
    assert.strictEqual(fail(acme, ""), 90)
  })

  it("do not affect the keys of an account, or passwords of others", () => {
    const { fail } = limitsAt()
    times(20, () => fail(acme, address))
    assert.isNumber(fail(acme, address))
    assert.isNull(fail(null, address))
    assert.isNull(fail("acc_fedcba9876543210", address))
  })

  it("allow 30 wrong keys per address, and as many passwords, and then one every 20 seconds", () => {
    const { fail, wait } = limitsAt()
    assert.deepStrictEqual([...new Set(times(30, () => fail(null, address)))], [null])
    assert.strictEqual(fail(null, address), 20)
    assert.strictEqual(fail(null, `::ffff:${address}`), 20)
    assert.strictEqual(fail(null, "::ffff:5db8:d822"), 20)
    assert.isNull(fail(null, "93.184.216.35"))
    assert.isNull(fail(acme, address))
    wait(20)
    assert.isNull(fail(null, address))
    assert.strictEqual(fail(null, address), 20)
  })

  it("allow 100 wrong keys from non-public addresses, and then one every 6 seconds", () => {
    const { fail, wait } = limitsAt()
    assert.deepStrictEqual([...new Set(times(100, (index) => fail(null, `10.0.0.${index}`)))], [null])
    assert.strictEqual(fail(null, "127.0.0.1"), 6)
    assert.isNull(fail(null, address))
    wait(6)
    assert.isNull(fail(null, ""))
    assert.strictEqual(fail(null, ""), 6)
  })

  it("allow 30 wrong passwords of all accounts at once, and then 2 a second", () => {
    const { fail, wait } = limitsAt()
    const account = (index: number) => `acc_${String(index).padStart(16, "0")}`
    assert.deepStrictEqual([...new Set(times(30, (index) => fail(account(index), "")))], [null])
    assert.strictEqual(fail(account(31), ""), 1)
    wait(1)
    assert.deepStrictEqual(
      times(3, (index) => fail(account(32 + index), "")),
      [null, null, 1]
    )
    assert.isNull(fail(null, ""))
  })

  it("report the longest of several waits", () => {
    const { fail } = limitsAt()
    times(10, () => fail(acme, address))
    times(20, (index) => fail(`acc_${String(index).padStart(16, "0")}`, address))
    assert.strictEqual(fail(acme, address), 90)
  })

  it("count nothing for a rejected attempt, and give back a successful one", () => {
    const { fail, take, wait } = limitsAt()
    times(10, () => fail(acme, address))
    times(100, () => fail(acme, address))
    wait(90)
    for (let count = 0; count < 100; count++) {
      const taken = take(acme, address)
      assert.strictEqual(taken.waitSeconds, 0)
      taken.giveBack()
    }
    assert.isNull(fail(acme, address))
    assert.strictEqual(fail(acme, address), 90)
  })

  it("never allow more than initially, however late an attempt is given back", () => {
    const { fail, take, wait } = limitsAt()
    const taken = times(10, () => take(acme, ""))
    wait(15 * 60)
    for (const { giveBack, waitSeconds } of taken) if (waitSeconds === 0) giveBack()
    assert.deepStrictEqual([...new Set(times(10, () => fail(acme, "")))], [null])
    assert.strictEqual(fail(acme, ""), 90)
  })

  it("remember an account despite many failures of others", () => {
    const { fail, wait } = limitsAt()
    times(10, () => fail(acme, ""))
    let others = 0
    for (let second = 0; second < 80; second += 0.5) {
      const from = `93.184.${others % 256}.34`
      if (fail(`acc_${String(others).padStart(16, "0")}`, from) === null) others++
      wait(0.5)
    }
    assert.isAbove(others, 150)
    assert.isNumber(fail(acme, ""))
  })
})
