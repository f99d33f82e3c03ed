/** What a backup consists of, and what a restore makes of it. */
import * as childProcess from "node:child_process"
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { BlobStore } from "#streams/BlobStore.ts"
import * as MemoryBlobStore from "#streams/MemoryBlobStore.ts"
import * as Pieces from "#src/features/backup/format/Pieces.ts"
import * as DataDirectory from "#test/streams/sqlite/DataDirectory.ts"
import * as Manifest from "#src/features/backup/format/Manifest.ts"
import { dataFormat } from "#src/kernel/program/DataFormat.ts"
import * as ReleaseFile from "#src/kernel/disk/ReleaseFile.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as FilledLog from "../log/FilledLog.ts"
import * as Inferlog from "../Inferlog.ts"

const run = Effect.fnUntraced(function* (args: ReadonlyArray<string>, DATA_DIR: string) {
  const { code, stderr, stdout } = yield* Inferlog.run([...args, "--json"], { DATA_DIR })
  assert.strictEqual(code, 0, stderr)
  return JSON.parse(stdout) as Readonly<Record<string, unknown>>
})

const refused = Effect.fnUntraced(function* (args: ReadonlyArray<string>, DATA_DIR: string) {
  const { code, stderr } = yield* Inferlog.run(args, { DATA_DIR })
  assert.strictEqual(code, 1)
  return stderr
})

/** A log of so many events, and paths that do not exist yet. */
const filled = Effect.fnUntraced(function* (count: number) {
  const parent = yield* TempDirectory.make
  const at = (name: string) => path.join(parent, name)
  fs.mkdirSync(at("data"))
  yield* FilledLog.grow(at("data"), "a", count)
  return { at, data: at("data"), target: at("target") }
})

const flip = (file: string) => {
  const bytes = fs.readFileSync(file)
  const at = Math.floor(bytes.length / 2)
  bytes[at] = (bytes[at] ?? 0) ^ 1
  fs.writeFileSync(file, bytes)
}

const firstIn = (folder: string): string => {
  const [found] = fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
  if (found === undefined) throw new Error(`${folder} is empty`)
  return path.join(found.parentPath, found.name)
}

const manifestIn = (target: string) =>
  Manifest.parse(fs.readFileSync(path.join(target, "manifest.json"), "utf8"))

describe("the files of a backup", () => {
  it.live("name the release that can read them", () =>
    Effect.gen(function* () {
      const { at, data, target } = yield* filled(3)
      yield* ReleaseFile.note(data, { format: 1, release: "0.0.9" })
      yield* run(["backup", target, "--without-keys"], data)
      yield* run(["restore", target, "--without-keys"], at("older"))
      assert.deepStrictEqual(yield* ReleaseFile.read(at("older")), { format: 1, release: "0.0.9" })

      const manifest = yield* manifestIn(target)
      const newer = { ...manifest, data: { format: dataFormat + 1, release: "99.0.0" } }
      fs.writeFileSync(path.join(target, "manifest.json"), Manifest.render(newer))
      assert.match(
        yield* refused(["restore", target, "--without-keys"], at("newer")),
        /SOURCE: inferlog 99.0.0 has written data in format/
      )
      assert.isFalse(fs.existsSync(at("newer")))
    })
  )

  it.live("are verified where they are, and each damage is named", () =>
    Effect.gen(function* () {
      const { at, data, target } = yield* filled(50)
      const text = "x".repeat(70_000)
      yield* DataDirectory.own(data, DataDirectory.appendPayload("big", "b", { text }))
      fs.renameSync(path.join(data, "files"), path.join(data, "blobs"))
      yield* run(["backup", target, "--without-keys"], data)
      yield* FilledLog.grow(data, "b", 5)
      const { digest } = yield* run(["backup", target, "--without-keys"], data)
      const verified = yield* run(["backup", target, "--verify"], at("none"))
      assert.deepInclude(verified, { ok: true, damages: 0, pieces: 4 })
      const [log] = verified["logs"] as ReadonlyArray<Readonly<Record<string, unknown>>>
      assert.deepInclude(log, { events: 56, payloads: 1, digest })
      assert.isFalse(fs.existsSync(at("none")))

      for (const kind of ["base", "segments", "inventories", "blobs"]) {
        const file = firstIn(path.join(target, kind))
        const key = path.relative(target, file)
        flip(file)
        const { code, stderr, stdout } = yield* Inferlog.run(["backup", target, "--verify", "--json"], {})
        assert.strictEqual(code, 1)
        assert.match(stderr, /The backup is damaged: 1 piece /)
        const { damaged } = JSON.parse(stdout) as { readonly damaged: ReadonlyArray<{ piece: string }> }
        assert.deepStrictEqual(
          damaged.map(({ piece }) => piece),
          [key],
          kind
        )
        flip(file)
      }
      const blob = firstIn(path.join(target, "blobs"))
      fs.rmSync(blob)
      fs.rmSync(firstIn(path.join(target, "segments")))
      const { stdout } = yield* Inferlog.run(["backup", target, "--verify"], {})
      assert.match(stdout, /segments\/\S+ is missing/)

      flip(path.join(target, "manifest.json"))
      assert.match(
        (yield* Inferlog.run(["backup", target, "--verify"], {})).stdout,
        /manifest.json is not what was written/
      )
      assert.match(yield* refused(["backup", at("nothing"), "--verify"], data), /contains no backup/)
    })
  )

  it.live("are read back, so that a target that stores other bytes is noticed", () =>
    Effect.gen(function* () {
      const memory = Context.get(yield* Layer.build(MemoryBlobStore.layer), BlobStore)
      const lying: BlobStore["Service"] = {
        ...memory,
        put: (key, body) =>
          Effect.tap(memory.put(key, body), () => memory.put(key, Buffer.from("other bytes of the disk")))
      }
      const error = yield* Effect.flip(Pieces.putText(lying, "segments/1", "text"))
      assert.match(error.message, /The backup is damaged: segments\/1 does not match its SHA-256/)
    })
  )
})

describe("backup --follow", () => {
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
      // An empty mount point must not get a backup.
      fs.mkdirSync(target)
      yield* FilledLog.grow(data, "b", 4)
      yield* follower.warned(/WARN.*its manifest is gone/)
      yield* FilledLog.grow(data, "c", 2)
      assert.deepStrictEqual(
        fs.readdirSync(target).filter((name) => name !== "incoming"),
        []
      )
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
