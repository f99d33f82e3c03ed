/** Which checkpoint an incremental audit begins at. */
import * as crypto from "node:crypto"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, References } from "effect"
import * as Begin from "#src/cli/audit/Begin.ts"
import * as Auditor from "#src/features/billing/audit/Auditor.ts"
import * as StoredState from "#src/features/billing/audit/StoredState.ts"
import * as CheckpointKey from "#src/platform/checkpoints/CheckpointKey.ts"
import * as Checkpoints from "#src/platform/checkpoints/Checkpoints.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"

const { state } = Auditor.make({ opened: () => {}, booked: () => {} })
const intact = { rules: StoredState.rules, bytes: StoredState.encode(state) }
const counts = { digest: "digest", hash: "hash", events: 1, payloads: 0, erasedPayloads: 0 }
const wanted = { period: { from: null, to: null }, hasEntries: false }

/** The name of the checkpoint that an audit begins at, of some at positions 1, 2, and so on. */
const beginning = Effect.fnUntraced(
  function* (ended: ReadonlyArray<Pick<Checkpoints.Ended, "kind" | "state">>) {
    const place: Checkpoints.Place = {
      folder: path.join(yield* TempDirectory.make, "checkpoints"),
      key: yield* CheckpointKey.ofMasterKey(crypto.randomBytes(32)),
      log: { backend: "sqlite", first: "hash of the first event" }
    }
    for (const [index, one] of ended.entries()) {
      const verified = { ...counts, position: GlobalPosition.GlobalPosition.make(String(index + 1)) }
      yield* Checkpoints.write(place, { ...one, from: null, verified })
    }
    const found = yield* Checkpoints.load(place)
    assert.lengthOf(found, ended.length)
    return (yield* Begin.find(place, found, wanted))?.from.name ?? null
  },
  Effect.provideService(References.MinimumLogLevel, "None")
)

describe("An incremental audit", () => {
  it.effect("begins at the newest checkpoint that has the state of an audit by the same rules", () =>
    Effect.gen(function* () {
      const others = [
        { kind: "audit", state: { ...intact, rules: StoredState.rules + 1 } },
        { kind: "audit", state: { ...intact, bytes: Buffer.from("no state") } },
        { kind: "verify", state: null }
      ] as const
      assert.strictEqual(
        yield* beginning([{ kind: "audit", state: intact }, ...others]),
        "audit-1.checkpoint"
      )
      assert.isNull(yield* beginning(others))
    }).pipe(Effect.scoped)
  )
})
