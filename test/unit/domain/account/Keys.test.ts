/** The rights of an account's keys, who grants them, and which secrets open a key. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as Account from "#domain/account/Account.ts"
import type { Command } from "#domain/account/Command.ts"
import type { Event } from "#domain/account/Event.ts"
import * as Grant from "#domain/account/Grant.ts"
import { Origin } from "#domain/account/Origin.ts"
import * as Key from "#domain/account/Key.ts"
import * as KeySet from "#domain/account/KeySet.ts"
import * as State from "#domain/account/State.ts"
import { KeyId } from "#domain/Ids.ts"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import { NanoUsd } from "#domain/Money.ts"
import { given } from "#test/support/Scenario.ts"
import { opened } from "#test/support/domain/account/AccountFacts.ts"

const { aggregate } = Account

const ocr = ModelEndpoint.make("vision/ocr")
const echo = ModelEndpoint.make("sandbox/echo")

const app = Origin.make("https://app.example")
const other = Origin.make("https://other.example")

const limited: Grant.Grant = {
  scopes: ["requests:write", "keys:admin"],
  modelEndpoints: [ocr],
  monthlyBudget: NanoUsd.make(25_000_000_000n),
  expiresAt: 9_000,
  origins: [app]
}

const newKey = (id: string, secretHash = `${id} 1`) => ({
  keyId: KeyId.make(id),
  name: `a ${id}`,
  secretHash
})
const issued = (id: string, grant: Partial<Grant.Grant> = {}): Event => ({
  _tag: "KeyIssued",
  at: 1_000,
  ...newKey(id),
  ...grant
})
const existing = [opened, issued("first"), issued("limited", limited)]

const issue = (grant: Grant.Grant, issuer: string | null = null, at = 2_000, id = "new"): Command => ({
  _tag: "IssueKey",
  at,
  key: newKey(id),
  grant,
  issuer: issuer === null ? null : KeyId.make(issuer)
})

interface Rotation {
  readonly at?: number
  readonly graceMs?: number
  readonly issuer?: string | null
  readonly secretHash?: string
}

const rotate = (
  id: string,
  { at = 2_000, graceMs = 100, issuer = null, secretHash = `${id} 2` }: Rotation = {}
): Command => ({
  _tag: "RotateKey",
  at,
  keyId: KeyId.make(id),
  secretHash,
  graceMs,
  issuer: issuer === null ? null : KeyId.make(issuer)
})

const revoked = (id: string, at = 1_500): Event => ({ _tag: "KeyRevoked", at, keyId: KeyId.make(id) })

const keyOf = (state: State.State, id: string): Key.Key => {
  const key = State.keyOf(state, id)
  if (key === undefined) throw new Error("There is no such key")
  return key
}

const grantOf = (id: string) => (state: State.State) => keyOf(state, id).grant

/** The current secret, and the previous one. */
const secretsOf = (id: string) => (state: State.State) => {
  const { previous, secretHash } = keyOf(state, id)
  return [secretHash, previous]
}

const exceeds = (state: State.State, command: Command) => {
  const decided = aggregate.decider.decide(command, state)
  return decided._tag === "Failure" && decided.failure._tag === "GrantExceeded" ? decided.failure.fields : []
}

describe("A key", () => {
  it("has all rights if its event has no limits, as before grants existed", () => {
    given(aggregate, existing).expectView(grantOf("first"), Grant.unlimited)
    given(aggregate, existing).expectView(grantOf("limited"), limited)
  })

  it("is recorded only with its limits", () => {
    given(aggregate, existing)
      .when(issue(Grant.unlimited))
      .expectEvents({ ...issued("new"), at: 2_000 })
    given(aggregate, existing)
      .when(issue(limited))
      .expectEvents({ ...issued("new", limited), at: 2_000 })
      .expectView(grantOf("new"), limited)
    given(aggregate, existing)
      .when(issue({ ...Grant.unlimited, modelEndpoints: [ocr] }))
      .expectEvents({ ...issued("new", { modelEndpoints: [ocr] }), at: 2_000 })
  })

  it("grants at most its own rights", () => {
    const { state } = given(aggregate, existing)
    assert.deepStrictEqual(exceeds(state, issue(limited, "limited")), [])
    const wider = [
      ["scopes", { scopes: [...limited.scopes, "billing:read"] }],
      ["modelEndpoints", { modelEndpoints: [ocr, echo] }],
      ["modelEndpoints", { modelEndpoints: null }],
      ["monthlyBudget", { monthlyBudget: NanoUsd.make(25_000_000_001n) }],
      ["monthlyBudget", { monthlyBudget: null }],
      ["expiresAt", { expiresAt: 9_001 }],
      ["expiresAt", { expiresAt: null }],
      ["origins", { origins: [app, other] }],
      ["origins", { origins: null }]
    ] as const
    for (const [field, change] of wider) {
      assert.deepStrictEqual(exceeds(state, issue({ ...limited, ...change }, "limited")), [field])
    }
    assert.deepStrictEqual(exceeds(state, issue(Grant.unlimited, "limited")), Key.grantFields)
    given(aggregate, existing).when(issue(Grant.unlimited, "first")).expectTypes("KeyIssued")
  })

  it("grants nothing after it was revoked, has expired, or if it never existed", () => {
    given(aggregate, [...existing, revoked("limited")])
      .when(issue(limited, "limited"))
      .expectRejection("IssuerNotValid")
      .when(rotate("first", { issuer: "limited" }))
      .expectRejection("IssuerNotValid")
    given(aggregate, existing)
      .when(issue(limited, "limited", 8_999))
      .expectTypes("KeyIssued")
      .when(issue(limited, "limited", 9_000, "another"))
      .expectRejection("IssuerNotValid")
      .when(issue(limited, "nobody"))
      .expectRejection("IssuerNotValid")
  })

  it("is one of at most 100 valid keys", () => {
    const others = Array.from({ length: Key.maxValid - 2 }, (_, index) => issued(`key ${index}`))
    given(aggregate, [...existing, ...others])
      .when(issue(Grant.unlimited))
      .expectRejection("TooManyKeys")
      .when(issue(Grant.unlimited, null, 9_000))
      .expectTypes("KeyIssued")
    given(aggregate, [...existing, ...others, revoked("key 7")])
      .when(issue(Grant.unlimited))
      .expectTypes("KeyIssued")
      .when(issue(Grant.unlimited, null, 2_000, "another"))
      .expectRejection("TooManyKeys")
  })
})

describe("The keys that an account has had", () => {
  const { decide, evolve } = aggregate.decider

  /** Issues keys and revokes all except the first `kept`. */
  const comingAndGoing = (count: number, kept: number) => {
    const first = [opened, issued("first")].reduce(evolve, State.initial)
    return Array.from({ length: count }, (_, index) => `key ${index}`).reduce((state, id, index) => {
      const known = evolve(state, issued(id))
      return index < kept ? known : evolve(known, revoked(id))
    }, first)
  }

  it("cost the same with twenty thousand earlier keys", { timeout: 5_000 }, () => {
    const began = performance.now()
    const state = comingAndGoing(20_000, Key.maxValid - 2)
    assert.isBelow(performance.now() - began, 4_000)
    // Makes many thousands of decisions, each on all existing keys.
    const decided = Array.from({ length: 20_000 }, () => decide(issue(Grant.unlimited, null), state))
    assert.isTrue(decided.every(({ _tag }) => _tag === "Success"))
    assert.isBelow(performance.now() - began, 4_500)
    assert.strictEqual(keyOf(state, "key 19999").revokedAt, 1_500)
    assert.strictEqual(State.keyOf(state, "key 20000"), undefined)
  })

  it("count as valid until they are revoked or expire, each once", () => {
    const valid = (events: ReadonlyArray<Event>, now: number) => {
      const { state } = given(aggregate, events)
      return state._tag === "Account" ? KeySet.countValid(state.keys, now) : 0
    }
    assert.strictEqual(valid(existing, 8_999), 2)
    assert.strictEqual(valid(existing, 9_000), 1)
    const late: Event = { ...issued("late"), at: 9_500 }
    assert.strictEqual(valid([...existing, late], 9_500), 2)
    assert.strictEqual(valid([...existing, late, revoked("limited"), revoked("late")], 9_500), 1)
    assert.strictEqual(valid([...existing, issued("first"), revoked("nobody")], 2_000), 2)
    assert.strictEqual(valid([...existing, { _tag: "AccountErased", at: 2_000 }], 2_000), 0)
  })

  it("are at most ten thousand, unless the operator issues more", () => {
    const fromKey = (state: State.State) => {
      const decided = decide(issue(Grant.unlimited, "first"), state)
      return decided._tag === "Failure" ? decided.failure._tag : decided._tag
    }
    assert.strictEqual(fromKey(comingAndGoing(Key.maxEver - 2, 0)), "Success")
    const full = comingAndGoing(Key.maxEver - 1, 0)
    assert.strictEqual(fromKey(full), "KeysUsedUp")
    assert.strictEqual(decide(issue(Grant.unlimited), full)._tag, "Success")
    assert.strictEqual(decide(rotate("first", { issuer: "first" }), full)._tag, "Success")
  })
})

describe("A rotation", () => {
  const rotated = (id: string, previousExpiresAt: number, secretHash = `${id} 2`, at = 2_000): Event => ({
    _tag: "KeyRotated",
    at,
    keyId: KeyId.make(id),
    secretHash,
    previousExpiresAt
  })

  it("replaces the secret at once, keeps the previous one for the grace, and the key unchanged", () => {
    const before = given(aggregate, existing).state
    given(aggregate, existing)
      .when(rotate("limited"))
      .expectEvents(rotated("limited", 2_100))
      .expectView(secretsOf("limited"), ["limited 2", { secretHash: "limited 1", expiresAt: 2_100 }])
      .expectView((state) => keyOf(state, "limited"), {
        ...keyOf(before, "limited"),
        secretHash: "limited 2",
        previous: { secretHash: "limited 1", expiresAt: 2_100 },
        rotatedAt: 2_000
      })
      .expectView(secretsOf("first"), ["first 1", null])
    const key = keyOf(given(aggregate, existing).when(rotate("limited")).state, "limited")
    assert.deepStrictEqual(
      [2_099, 2_100].map((now) => Key.isInGrace(key, now)),
      [true, false]
    )
  })

  it("without a grace ends the previous secret", () => {
    given(aggregate, existing)
      .when(rotate("first", { graceMs: 0 }))
      .expectEvents(rotated("first", 2_000))
      .expectView(secretsOf("first"), ["first 2", null])
  })

  it("within another grace keeps the newest two secrets", () => {
    given(aggregate, existing)
      .when(rotate("first"))
      .when(rotate("first", { at: 2_010, secretHash: "first 3" }))
      .expectEvents(rotated("first", 2_110, "first 3", 2_010))
      .expectView(secretsOf("first"), ["first 3", { secretHash: "first 2", expiresAt: 2_110 }])
      .when(rotate("first", { at: 2_020, graceMs: 0, secretHash: "first 4" }))
      .expectView(secretsOf("first"), ["first 4", null])
  })

  it("lets no secret outlive the key", () => {
    given(aggregate, existing)
      .when(rotate("limited", { at: 8_950 }))
      .expectEvents(rotated("limited", 9_000, "limited 2", 8_950))
  })

  it("is rejected for a key that does not exist or is not valid", () => {
    given(aggregate, existing).when(rotate("nobody")).expectRejection("KeyNotFound")
    given(aggregate, existing).when(rotate("__proto__")).expectRejection("KeyNotFound")
    given(aggregate, existing)
      .when(rotate("limited", { at: 9_000 }))
      .expectRejection("KeyExpired")
    given(aggregate, [...existing, revoked("limited")])
      .when(rotate("limited"))
      .expectRejection("KeyRevoked")
      .when(rotate("limited", { at: 9_000 }))
      .expectRejection("KeyRevoked")
  })

  it("is rejected for a key with more rights than the rotating key", () => {
    given(aggregate, existing)
      .when(rotate("first", { issuer: "limited" }))
      .expectRejection("GrantExceeded")
      .expectView(secretsOf("first"), ["first 1", null])
      .when(rotate("limited", { issuer: "limited" }))
      .expectEvents(rotated("limited", 2_100))
      .when(rotate("limited", { issuer: "first", secretHash: "limited 3" }))
      .expectTypes("KeyRotated")
  })
})

const models = fc.constantFrom(ocr, echo, ModelEndpoint.make("a/b"))
const grants: fc.Arbitrary<Grant.Grant> = fc.record({
  scopes: fc.subarray([...Grant.Scope.literals], { minLength: 1 }),
  modelEndpoints: fc.option(fc.uniqueArray(models, { minLength: 1 })),
  monthlyBudget: fc.option(fc.bigInt({ min: 1n, max: 3n }).map((amount) => NanoUsd.make(amount))),
  expiresAt: fc.option(fc.constantFrom(5_000, 6_000, 7_000)),
  origins: fc.option(fc.subarray([app, other], { minLength: 1 }))
})

/** Keys issue and rotate keys, each by an existing key. */
const acts = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant("issue" as const), by: fc.nat(9), grant: grants }),
    fc.record({ kind: fc.constant("rotate" as const), by: fc.nat(9), of: fc.nat(9) })
  ),
  { maxLength: 20 }
)

describe("Whatever keys do with each other", () => {
  it("no key gains rights from another key", () => {
    const property = fc.property(grants, acts, (root, steps) => {
      const before = given(aggregate, [opened, issued("k0", root)]).state
      let count = 1
      const end = steps.reduce((state, step, index) => {
        const by = `k${step.by % count}`
        const command: Command =
          step.kind === "issue"
            ? issue(step.grant, by, 2_000 + index, `k${count}`)
            : rotate(`k${step.of % count}`, { issuer: by, at: 2_000 + index, secretHash: `by ${by}` })
        const decided = aggregate.decider.decide(command, state)
        if (decided._tag === "Failure") return state
        if (step.kind === "issue") count++
        return decided.success.reduce(aggregate.decider.evolve, state)
      }, before)
      if (end._tag !== "Account") return assert.fail("expected an account")
      for (const { grant, secretHash } of KeySet.values(end.keys)) {
        assert.isTrue(Grant.isWithin(grant, keyOf(end, "k0").grant))
        const by = /^by (k\d+)$/.exec(secretHash)?.[1]
        if (by !== undefined) assert.isTrue(Grant.isWithin(grant, keyOf(end, by).grant))
      }
    })
    fc.assert(property, { numRuns: 200 })
  })

  it("a grant exceeds another in no field exactly if it is within it", () => {
    fc.assert(
      fc.property(grants, grants, (grant, own) => {
        assert.strictEqual(Key.exceeding(grant, own).length === 0, Grant.isWithin(grant, own))
      }),
      { numRuns: 500 }
    )
  })

  it("a key decoded from its event has its grant", () => {
    fc.assert(
      fc.property(grants, (grant) => {
        given(aggregate, existing).when(issue(grant)).expectView(grantOf("new"), grant)
      }),
      { numRuns: 100 }
    )
  })
})
