import { assert, describe, it } from "@effect/vitest"
import { KeyId } from "#domain/Ids.ts"
import * as Presence from "#src/features/providers/pull/WorkerPool.ts"
import type { JobFilter } from "#src/features/providers/pull/JobFilter.ts"

const wish = (models: ReadonlyArray<string> | null, allowed: string | null = null): JobFilter => ({
  worker: {
    keyId: KeyId.make("worker_1"),
    allows: (model) => allowed === null || model === allowed,
    isAdmitted: () => true
  },
  models: models === null ? null : new Set(models)
})

describe("A worker that has left", () => {
  it("is expected back for 10 s, for its models", () => {
    let now = 0
    const presence = Presence.makePresence(() => now)
    assert.isFalse(presence.isExpected("acme/gpu"))
    presence.left(wish(["acme/gpu"]))
    presence.left(wish(null, "acme/other"))
    now = 9_999
    assert.deepStrictEqual(["acme/gpu", "acme/other", "acme/third"].map(presence.isExpected), [
      true,
      true,
      false
    ])
    now = 10_001
    assert.isFalse(presence.isExpected("acme/gpu"))
  })

  it("is expected for 10 s from its last call", () => {
    let now = 0
    const presence = Presence.makePresence(() => now)
    presence.left(wish(["acme/gpu"]))
    now = 8_000
    presence.left(wish(["acme/gpu"]))
    now = 17_000
    assert.isTrue(presence.isExpected("acme/gpu"))
  })
})
