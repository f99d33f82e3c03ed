/** Which checkpoints are used. */
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, References } from "effect"
import type * as Checkpoint from "#src/platform/checkpoints/Checkpoint.ts"
import * as CheckpointFiles from "#src/platform/checkpoints/CheckpointFiles.ts"
import * as CheckpointKey from "#src/platform/checkpoints/CheckpointKey.ts"
import * as Checkpoints from "#src/platform/checkpoints/Checkpoints.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"

const log: Checkpoint.LogIdentity = { backend: "sqlite", first: "hash of the first event" }
const verified = { digest: "digest", hash: "hash", events: 10, payloads: 2, erasedPayloads: 0 }
const at = (position: number) => GlobalPosition.GlobalPosition.make(String(position))

/** A folder, and a key of its own. */
const place = Effect.gen(function* () {
  const folder = path.join(yield* TempDirectory.make, "checkpoints")
  const key = yield* CheckpointKey.ofMasterKey(crypto.randomBytes(32))
  return { folder, key, log } satisfies Checkpoints.Place
})

const end = (position: number, from: Checkpoints.Found | null = null): Checkpoints.Ended => ({
  kind: "verify",
  from,
  verified: { ...verified, position: at(position) },
  state: null
})

const state = { rules: 1, bytes: Buffer.from("the state\nin two lines") }

const load = (place: Checkpoints.Place) =>
  Effect.provideService(Checkpoints.load(place), References.MinimumLogLevel, "None")

const namesOf = (found: ReadonlyArray<Checkpoints.Found>) => found.map(({ name }) => name)

describe("Checkpoints", () => {
  it.effect("are found newest first, with the number of events and the last whole proof", () =>
    Effect.gen(function* () {
      const here = yield* place
      assert.deepStrictEqual(yield* Checkpoints.load(here), [])
      const written = yield* Checkpoints.write(here, end(9))
      assert.deepStrictEqual(written, { name: "verify-9.checkpoint", publicKey: here.key.publicKey })
      const [first] = yield* Checkpoints.load(here)
      if (first === undefined) return assert.fail("no checkpoint was found")
      yield* Checkpoints.write(here, { ...end(12, first), kind: "audit", state })
      const found = yield* Checkpoints.load(here)
      assert.deepStrictEqual(namesOf(found), ["audit-12.checkpoint", "verify-9.checkpoint"])
      const [last] = found
      assert.deepInclude(last?.facts, { events: 20, position: at(12), whole: { position: at(9), at: 0 } })
      assert.deepStrictEqual(last && Checkpoints.readState(here, last), state.bytes)
      assert.deepStrictEqual(fs.statSync(here.folder).mode & 0o777, 0o700)
      yield* Checkpoints.write(here, end(12))
      assert.deepStrictEqual(namesOf(yield* Checkpoints.load(here)).slice(0, 2), [
        "verify-12.checkpoint",
        "audit-12.checkpoint"
      ])
    }).pipe(Effect.scoped)
  )

  it.effect("are not written without the private key, and for an empty log", () =>
    Effect.gen(function* () {
      const here = yield* place
      const key = CheckpointKey.ofPublicKey(here.key.publicKey)
      assert.isNull(yield* Checkpoints.write({ ...here, key }, end(1)))
      assert.isNull(yield* Checkpoints.write({ ...here, key: null }, end(1)))
      const empty = end(0)
      assert.isNull(yield* Checkpoints.write(here, { ...empty, verified: { ...empty.verified, hash: "" } }))
      yield* Checkpoints.write(here, end(1))
      assert.lengthOf(yield* Checkpoints.load({ ...here, key }), 1)
    }).pipe(Effect.scoped)
  )

  it.effect(
    "are not used with any byte of them changed, but for the state, which is checked when it is read",
    () =>
      Effect.gen(function* () {
        const here = yield* place
        yield* Checkpoints.write(here, { ...end(1), kind: "audit", state })
        const file = path.join(here.folder, "audit-1.checkpoint")
        const intact = fs.readFileSync(file)
        const [found] = yield* load(here)
        if (found === undefined) return assert.fail("no checkpoint was found")
        for (let index = 0; index < intact.length; index++) {
          const changed = Buffer.from(intact)
          changed.writeUInt8(changed.readUInt8(index) ^ 1, index)
          fs.writeFileSync(file, changed)
          if (index < intact.length - state.bytes.length) {
            assert.deepStrictEqual(yield* load(here), [], `byte ${index}`)
          } else {
            assert.lengthOf(yield* load(here), 1)
            assert.isNull(Checkpoints.readState(here, found))
          }
        }
        fs.writeFileSync(file, intact.subarray(0, -1))
        assert.isNull(Checkpoints.readState(here, found))
      }).pipe(Effect.scoped)
  )

  it.effect("are not used under another key, for another log, under another name, or without a key", () =>
    Effect.gen(function* () {
      const here = yield* place
      yield* Checkpoints.write(here, end(1))
      assert.lengthOf(yield* load(here), 1)
      const { key } = yield* place
      assert.deepStrictEqual(yield* load({ ...here, key }), [])
      assert.deepStrictEqual(yield* load({ ...here, key: null }), [])
      for (const other of [
        { ...log, backend: "nats" as const },
        { ...log, first: "another" }
      ]) {
        assert.deepStrictEqual(yield* load({ ...here, log: other }), [])
      }
      const file = path.join(here.folder, "verify-1.checkpoint")
      for (const name of ["verify-2.checkpoint", "audit-1.checkpoint", "verify-1.checkpoint.new"]) {
        fs.renameSync(file, path.join(here.folder, name))
        assert.deepStrictEqual(yield* load(here), [], name)
        fs.renameSync(path.join(here.folder, name), file)
      }
      assert.lengthOf(yield* load(here), 1)
    }).pipe(Effect.scoped)
  )

  it.effect("leave the newest four of a kind, and no drafts", () =>
    Effect.gen(function* () {
      const here = yield* place
      yield* Checkpoints.write(here, { ...end(1), kind: "audit", state })
      const draft = path.join(here.folder, "verify-1.checkpoint.99.new")
      fs.writeFileSync(draft, "half")
      fs.utimesSync(draft, 1, 1)
      for (const position of [2, 3, 10, 11, 100]) yield* Checkpoints.write(here, end(position))
      assert.sameMembers(fs.readdirSync(here.folder), [
        "audit-1.checkpoint",
        ...[3, 10, 11, 100].map((position) => `verify-${position}.checkpoint`)
      ])
      assert.strictEqual(CheckpointFiles.list(here.folder)[0]?.position, at(100))
    }).pipe(Effect.scoped)
  )

  it.effect("of a log with lower positions stay beside those of another log in the folder", () =>
    Effect.gen(function* () {
      const here = yield* place
      for (const position of [101, 102, 103, 104]) yield* Checkpoints.write(here, end(position))
      const there = { ...here, log: { ...log, backend: "nats" as const } }
      for (const position of [1, 2]) {
        assert.isNotNull(yield* Checkpoints.write(there, end(position)))
        assert.deepStrictEqual(namesOf(yield* load(there)), [`verify-${position}.checkpoint`])
      }
      assert.lengthOf(yield* load(here), 4)
    }).pipe(Effect.scoped)
  )

  it.effect("report a folder that cannot be written", () =>
    Effect.gen(function* () {
      const here = yield* place
      fs.writeFileSync(here.folder, "a file")
      const error = yield* Effect.flip(Checkpoints.write(here, end(1)))
      assert.strictEqual(error.message, `A checkpoint cannot be written to ${here.folder}`)
    }).pipe(Effect.scoped)
  )
})
