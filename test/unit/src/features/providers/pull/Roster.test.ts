import { assert, describe, it } from "@effect/vitest"
import { KeyId } from "#domain/Ids.ts"
import type { JobFilter } from "#src/features/providers/pull/JobFilter.ts"
import * as Roster from "#src/features/providers/pull/Roster.ts"

const wish = (
  models: ReadonlyArray<string> | null,
  about: { readonly id: string | null; readonly version: string | null } = { id: null, version: null }
): JobFilter => ({
  worker: { keyId: KeyId.make("worker_1"), allows: () => true, isAdmitted: () => true, about },
  models: models === null ? null : new Set(models)
})

const make = () => {
  let now = 0
  const roster = Roster.make(() => now)
  return { ...roster, at: (time: number) => void (now = time) }
}

describe("The roster of workers", () => {
  it("shows who waits and works, with the times of the last calls", () => {
    const { all, at, ended, heard, joined, left, took } = make()
    const gpu = wish(["acme/up"], { id: "gpu-1", version: "2.1" })
    joined(gpu)
    at(100)
    left(gpu)
    took(gpu)
    at(5_000)
    heard(gpu)
    assert.deepStrictEqual(all(), [
      {
        keyId: "worker_1",
        id: "gpu-1",
        version: "2.1",
        models: ["acme/up"],
        waiting: 0,
        jobs: 1,
        lastPollAt: 0,
        lastCallAt: 5_000
      }
    ])
    ended(gpu)
    // With its id it is the same one, whatever it asks for.
    at(6_000)
    joined(wish(null, { id: "gpu-1", version: "2.2" }))
    assert.deepInclude(all()[0], { version: "2.2", models: null, waiting: 1, jobs: 0, lastPollAt: 6_000 })
    assert.lengthOf(all(), 1)
  })

  it("counts workers with an id once, and others by their calls and jobs", () => {
    const { at, connected, joined, left, took } = make()
    const named = wish(["acme/up"], { id: "gpu-1", version: null })
    joined(named)
    took(named)
    assert.strictEqual(connected("acme/up"), 1)
    const unnamed = wish(["acme/up"])
    joined(unnamed)
    joined(unnamed)
    took(unnamed)
    assert.strictEqual(connected("acme/up"), 4)
    assert.strictEqual(connected("acme/other"), 0)
    joined(wish(["acme/other"]))
    at(1_000)
    left(wish(["acme/other"]))
    at(10_999)
    assert.strictEqual(connected("acme/other"), 1)
    at(11_000)
    assert.strictEqual(connected("acme/other"), 0)
  })

  it("forgets a worker that is gone for ten minutes, and none that waits", () => {
    const { all, at, joined, left } = make()
    joined(wish(["acme/gone"]))
    left(wish(["acme/gone"]))
    joined(wish(["acme/up"]))
    at(600_000)
    assert.lengthOf(all(), 2)
    at(600_001)
    assert.deepStrictEqual(
      all().map(({ models }) => models),
      [["acme/up"]]
    )
  })
})
