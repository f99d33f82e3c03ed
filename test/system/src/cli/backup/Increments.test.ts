/** What later calls and followers add to a backup, also when the target fails. */
import * as childProcess from "node:child_process"
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Logger, Stream } from "effect"
import { BlobStore, BlobStoreError } from "#streams/BlobStore.ts"
import * as MemoryBlobStore from "#streams/MemoryBlobStore.ts"
import * as Following from "#src/cli/backup/Following.ts"
import * as TargetFault from "#src/features/backup/target/TargetFault.ts"
import * as DataDirectory from "#test/support/streams/sqlite/DataDirectory.ts"
import * as Manifest from "#src/features/backup/format/Manifest.ts"
import * as FilledLog from "#test/support/src/cli/log/FilledLog.ts"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"
import { filesBelow, filled, manifestIn, refused, run } from "#test/support/src/cli/backup/BackedUp.ts"

describe("many small increments", () => {
  it.live("are merged, and restore to the same log", () =>
    Effect.gen(function* () {
      const { at, data, target } = yield* filled(2)
      const backup = run(["backup", target, "--without-keys"], data)
      const scale = Effect.fnUntraced(function* (by: number) {
        const manifest = yield* manifestIn(target)
        const [generation] = manifest.generations
        const segments = generation.segments.map((segment, index) =>
          index === 0 ? { ...segment, rawSize: segment.rawSize * by } : segment
        )
        const text = Manifest.render({ ...manifest, generations: [{ ...generation, segments }] })
        fs.writeFileSync(path.join(target, "manifest.json"), text)
      })
      yield* backup
      for (let round = 1; round < 17; round++) {
        // Sixteen of unlike sizes are not merged.
        if (round === 16) yield* scale(1_000)
        yield* FilledLog.grow(data, `r${round}`, 2)
        yield* backup
      }
      yield* scale(1 / 1_000)
      assert.deepInclude(yield* backup, { kind: "unchanged" })
      assert.lengthOf(filesBelow(path.join(target, "segments")), 16)
      yield* FilledLog.grow(data, "r17", 2)
      const { digest } = yield* backup
      // Sixteen of them are one.
      assert.lengthOf(filesBelow(path.join(target, "segments")), 2)
      const [generation] = (yield* manifestIn(target)).generations
      assert.deepStrictEqual(
        generation?.segments.map(({ events }) => events),
        [2, 32]
      )
      assert.strictEqual((yield* run(["restore", target, "--without-keys"], at("all")))["digest"], digest)
    })
  )
})

describe("a failure", () => {
  it.effect("is the target's, unless the blob that is copied caused it", () =>
    Effect.gen(function* () {
      const memory = Context.get(yield* Layer.build(MemoryBlobStore.layer), BlobStore)
      const away = new BlobStoreError({ reason: "away" })
      const none = Effect.succeed(null)
      const target = { name: "t", isExclusive: true, scratch: "", readManifest: none }
      const { pieces } = TargetFault.mark({
        ...target,
        pieces: memory,
        writeManifest: () => Effect.fail(away)
      })
      const ofSource = yield* Effect.flip(pieces.put("blobs/a", Stream.fail(away)))
      assert.strictEqual(TargetFault.unwrap(ofSource), away)
      const store = { ...memory, put: () => Effect.fail(away) }
      const marked = TargetFault.mark({ ...target, pieces: store, writeManifest: () => Effect.fail(away) })
      const ofTarget = yield* Effect.flip(marked.pieces.put("blobs/a", Stream.make(new Uint8Array(1))))
      assert.strictEqual(TargetFault.unwrap(ofTarget)._tag, "TargetFault")
    })
  )
})

describe("backup --follow", () => {
  it.effect("says what it could not add when it was stopped", () =>
    Effect.gen(function* () {
      const told: Array<string> = []
      const listening = Logger.layer([Logger.make(({ message }) => void told.push(String(message)))])
      const follower = yield* Following.run(Effect.fail(new BlobStoreError({ reason: "away" }))).pipe(
        Effect.provide(listening),
        Effect.forkChild({ startImmediately: true })
      )
      yield* Fiber.interrupt(follower)
      process.exitCode = undefined
      assert.lengthOf(told, 2)
      assert.match(String(told[1]), /What was left is not backed up. BLOB_STORE: .*away/)
    })
  )

  it.live("waits for a target that is away, and then adds all that is new", () =>
    Effect.gen(function* () {
      const { at, data, target } = yield* filled(3)
      const follower = yield* Inferlog.follow(["backup", target, "--follow", "--without-keys", "--json"], {
        DATA_DIR: data
      })
      const lines = (count: number) =>
        Effect.map(
          follower.until((stdout) => stdout.split("\n").length > count),
          (stdout) => JSON.parse(stdout.split("\n")[count - 1] ?? "") as Readonly<Record<string, unknown>>
        )
      yield* lines(1)
      fs.renameSync(target, at("away"))
      // Another empty folder must not get a backup, even if it could be written.
      const empty = ["~incoming", "~scratch"]
      for (const name of empty) fs.mkdirSync(path.join(target, name), { recursive: true })
      yield* FilledLog.grow(data, "b", 4)
      yield* follower.warned(/WARN.*What is new is not backed up.* TARGET: /)
      yield* FilledLog.grow(data, "c", 2)
      assert.deepStrictEqual(fs.readdirSync(target).toSorted(), empty)
      fs.rmSync(target, { recursive: true })
      fs.renameSync(at("away"), target)
      assert.deepInclude(yield* lines(2), { kind: "increment", events: 6 })
      const { code, stderr } = yield* follower.kill("SIGTERM")
      assert.strictEqual(code, 0)
      assert.strictEqual(stderr.match(/WARN/g)?.length, 1, stderr)
      const restored = yield* run(["restore", target, "--without-keys"], at("restored"))
      assert.strictEqual(restored["events"], 9)
    })
  )
})

/** Also false in a container without the capability. */
const canMount =
  process.getuid?.() === 0 && childProcess.spawnSync("unshare", ["--mount", "true"]).status === 0

describe.skipIf(!canMount)("a full target (needs root, to mount a small disk)", () => {
  it.live("is reported, and keeps the backup that it has", () =>
    Effect.gen(function* () {
      const { at, data, target } = yield* filled(3)
      fs.mkdirSync(target)
      const mount = childProcess.spawnSync("mount", ["-t", "tmpfs", "-o", "size=512k", "none", target])
      assert.strictEqual(mount.status, 0, String(mount.stderr))
      yield* Effect.addFinalizer(() => Effect.sync(() => childProcess.spawnSync("umount", [target])))
      const { digest } = yield* run(["backup", target, "--without-keys"], data)
      const before = fs.readdirSync(target, { recursive: true }).toSorted()
      const text = crypto.randomBytes(400_000).toString("base64")
      yield* DataDirectory.own(data, DataDirectory.appendPayload("big", "b", { text }))
      fs.cpSync(path.join(data, "files"), path.join(data, "blobs"), { recursive: true })
      for (const full of [[], ["--full"]]) {
        assert.match(
          yield* refused(["backup", target, "--without-keys", ...full], data),
          /^inferlog: TARGET: .*no room is left. The backup there is unchanged: make room and repeat/
        )
      }
      yield* run(["backup", target, "--verify"], data)
      const restored = yield* run(["restore", target, "--without-keys"], at("restored"))
      assert.strictEqual(restored["digest"], digest)
      assert.deepStrictEqual(fs.readdirSync(target, { recursive: true }).toSorted(), before)
    }).pipe(Effect.scoped)
  )
})
