/** What a backup consists of, and what a restore makes of it. */
import * as childProcess from "node:child_process"
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Logger, Stream } from "effect"
import type { JsonObject } from "#domain/CanonicalJson.ts"
import { EventStore } from "#streams/EventStore.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import * as StreamName from "#streams/StreamName.ts"
import { eventData } from "#test/support/EventFixtures.ts"
import { root } from "#test/support/ServerProcess.ts"
import { BlobStore, BlobStoreError } from "#streams/BlobStore.ts"
import * as MemoryBlobStore from "#streams/MemoryBlobStore.ts"
import { OAuthDatabase } from "#src/edges/oauth/OAuthDatabase.ts"
import { Records } from "#src/edges/oauth/Records.ts"
import * as Following from "#src/cli/backup/Following.ts"
import * as TargetFault from "#src/features/backup/target/TargetFault.ts"
import * as Targets from "#src/features/backup/target/Targets.ts"
import * as Verification from "#src/features/backup/verifying/Verification.ts"
import * as Pieces from "#src/features/backup/format/Pieces.ts"
import * as DataDirectory from "#test/streams/sqlite/DataDirectory.ts"
import * as Manifest from "#src/features/backup/format/Manifest.ts"
import { dataFormat } from "#src/kernel/program/DataFormat.ts"
import * as ReleaseFile from "#src/kernel/disk/ReleaseFile.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as FilledLog from "../log/FilledLog.ts"
import * as Inferlog from "../Inferlog.ts"
import * as Damaging from "./Damaging.ts"

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
        const file = Damaging.firstIn(path.join(target, kind))
        const key = path.relative(target, file)
        Damaging.flip(file)
        const { code, stderr, stdout } = yield* Inferlog.run(["backup", target, "--verify", "--json"], {})
        assert.strictEqual(code, 1)
        assert.match(stderr, /The backup is damaged: 1 piece /)
        const { damaged } = JSON.parse(stdout) as { readonly damaged: ReadonlyArray<{ piece: string }> }
        assert.deepStrictEqual(
          damaged.map(({ piece }) => piece),
          [key],
          kind
        )
        assert.include(yield* refused(["restore", target, "--without-keys"], at("damaged")), key)
        assert.isFalse(fs.existsSync(at("damaged/log.sqlite")))
        Damaging.flip(file)
      }
      const blob = Damaging.firstIn(path.join(target, "blobs"))
      fs.rmSync(blob)
      fs.rmSync(Damaging.firstIn(path.join(target, "segments")))
      const { stdout } = yield* Inferlog.run(["backup", target, "--verify"], {})
      assert.match(stdout, /segments\/\S+ is missing/)

      Damaging.flip(path.join(target, "manifest.json"))
      assert.include(yield* refused(["restore", target, "--without-keys"], at("damaged")), "manifest.json")
      assert.match(
        (yield* Inferlog.run(["backup", target, "--verify"], {})).stdout,
        /manifest.json is not what was written/
      )
      assert.match(yield* refused(["backup", at("nothing"), "--verify"], data), /contains no backup/)
    })
  )

  it.live("make no log whose digest is not the one in the manifest", () =>
    Effect.gen(function* () {
      const { at, data, target } = yield* filled(3)
      yield* run(["backup", target, "--without-keys"], data)
      yield* FilledLog.grow(data, "b", 2)
      yield* run(["backup", target, "--without-keys"], data)
      const manifest = yield* manifestIn(target)
      const [generation] = manifest.generations
      const segments = generation.segments.map((segment) => ({
        ...segment,
        end: { ...segment.end, digest: "other" }
      }))
      const text = Manifest.render({ ...manifest, generations: [{ ...generation, segments }] })
      fs.writeFileSync(path.join(target, "manifest.json"), text)
      const stderr = yield* refused(["restore", target, "--without-keys"], at("copy"))
      assert.include(stderr, `The backup is damaged: ${segments[0]?.key}`)
      assert.isFalse(fs.existsSync(at("copy/log.sqlite")))
    })
  )

  it.live("are verified by the newest manifest when a backup replaces it meanwhile", () =>
    Effect.gen(function* () {
      const { at, data, target } = yield* filled(3)
      yield* run(["backup", target, "--without-keys"], data)
      const source = yield* Targets.openSource({ _tag: "Folder", folder: target })
      const manifest = yield* manifestIn(target)
      const [{ base, ...generation }] = manifest.generations
      const replaced = base && { ...base, key: `${base.key}-removed` }
      const old = Manifest.render({ ...manifest, generations: [{ ...generation, base: replaced }] })
      let reads = 0
      const readManifest = Effect.suspend(() =>
        reads++ === 0 ? Effect.succeed({ text: old, revision: "old" }) : source.readManifest
      )
      fs.mkdirSync(at("scratch"))
      const report = yield* Verification.run({
        source: { ...source, readManifest },
        scratch: at("scratch"),
        passphrase: null
      })
      assert.deepInclude(report, { damages: 0 })
      assert.strictEqual(report.logs[0]?.events, 3)
    })
  )

  it.live("contain registrations of assistants, and no sign-in", () =>
    Effect.gen(function* () {
      const { at, data, target } = yield* filled(3)
      const database = Layer.fresh(OAuthDatabase.layerAt(path.join(data, "oauth.sqlite")))
      const add = (model: string) =>
        Effect.gen(function* () {
          const { put } = yield* Records
          const payload = { marked: `the ${model}` }
          yield* put({ model, id: model, payload, expiresAt: 2e12, grantId: null, loginId: null })
        }).pipe(Effect.provide(Layer.fresh(Records.layer).pipe(Layer.provide(database))))
      yield* add("RefreshToken")
      yield* run(["backup", target, "--without-keys"], data)
      assert.isNull((yield* manifestIn(target)).oauth)
      yield* add("Client")
      assert.strictEqual((yield* run(["backup", target, "--without-keys"], data))["kind"], "unchanged")
      yield* run(["backup", target, "--without-keys"], data)
      assert.lengthOf(filesBelow(path.join(target, "oauth")), 1)
      yield* run(["restore", target, "--without-keys"], at("copy"))
      const restored = fs.readFileSync(path.join(at("copy"), "oauth.sqlite"), "latin1")
      assert.include(restored, "the Client")
      assert.notInclude(restored, "the RefreshToken")
    })
  )

  it.live("lie beside other files, and take the place of what was left of an interrupted backup", () =>
    Effect.gen(function* () {
      const { data, target } = yield* filled(3)
      const left = ["base/12-rq0123456789abcdefghi", "segments/1.2-3-rq0123456789abcdefghi-m"]
      const others = ["archive/segment-1.jsonl.zst", "base/data", "keys/server.pem"]
      for (const name of [...left, ...others]) {
        fs.mkdirSync(path.dirname(path.join(target, name)), { recursive: true })
        fs.writeFileSync(path.join(target, name), "")
      }
      yield* run(["backup", target, "--without-keys"], data)
      const names = filesBelow(target)
      for (const name of others) assert.include(names, name)
      for (const name of left) assert.notInclude(names, name)
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

const mediaEvents = (name: string) => {
  const { type, data } = JSON.parse(
    fs.readFileSync(path.join(root, "test/fixtures/events/File", `${name}.json`), "utf8")
  ) as { readonly type: string; readonly data: JsonObject }
  return (id: string) => eventData(id, type, data)
}

/** Appends events of a file. */
const appendFile = (id: string, names: ReadonlyArray<string>) =>
  Effect.flatMap(EventStore, (store) =>
    Effect.forEach(
      names,
      (name) =>
        store.append({
          stream: StreamName.make("File", id),
          expected: ExpectedVersion.Any,
          events: [mediaEvents(name)(`${name}-${id}`)]
        }),
      { discard: true }
    )
  )

const filesBelow = (folder: string): ReadonlyArray<string> =>
  fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .toSorted()

/** Writes the bytes of a file, and moves what the payloads of tests write to where a server has it. */
const placeBlobs = (data: string, media: ReadonlyArray<string>) => {
  fs.mkdirSync(path.join(data, "blobs/media"), { recursive: true })
  for (const id of media) fs.writeFileSync(path.join(data, "blobs/media", id), `bytes of ${id}`)
  fs.cpSync(path.join(data, "files"), path.join(data, "blobs"), { recursive: true })
}

const big = (name: string) => ({ text: name.repeat(70_000) })

describe("what was erased", () => {
  const [kept, removed] = ["fl_00000000000000000000k", "fl_00000000000000000000r"] as const

  /** A base with two payloads and two files, one each of which is erased after it; positions are 1 to 8. */
  const erased = Effect.gen(function* () {
    const { at, data, target } = yield* filled(1)
    yield* DataDirectory.own(
      data,
      Effect.gen(function* () {
        yield* DataDirectory.appendPayload("a", "a0", big("a"))
        yield* DataDirectory.appendPayload("b", "b0", big("b"))
        yield* appendFile(kept, ["OutputStored"])
        yield* appendFile(removed, ["OutputStored"])
      })
    )
    placeBlobs(data, [kept, removed])
    yield* run(["backup", target, "--without-keys"], data)
    yield* DataDirectory.own(
      data,
      Effect.gen(function* () {
        yield* DataDirectory.erase("a")
        yield* appendFile(removed, ["FileDeleted", "BytesRemoved"])
      })
    )
    fs.rmSync(path.join(data, "blobs/media", removed))
    return { at, data, target }
  })

  const eventsOf = (DATA_DIR: string) =>
    Effect.map(Inferlog.run(["log", "export"], { DATA_DIR }), ({ stdout }) =>
      FilledLog.lines(stdout).map(({ type }) => type)
    )

  it.live("stays erased when an earlier moment is restored", () =>
    Effect.gen(function* () {
      const { at, data, target } = yield* erased
      const check = Effect.fnUntraced(function* (name: string) {
        const restored = yield* run(["restore", target, "--without-keys", "--until", "5"], at(name))
        assert.deepInclude(restored, { erasedAgain: 3, erasedPayloads: 1, payloads: 1, blobs: 2 })
        const after = (yield* eventsOf(at(name))).slice(5)
        assert.deepStrictEqual(after, ["PayloadsErased", "FileDeleted", "BytesRemoved"])
        const [media, payload, ...more] = filesBelow(at(`${name}/blobs`))
        assert.strictEqual(media, `media/${kept}`)
        assert.include(payload, "Thing-b")
        assert.deepStrictEqual(more, [])
        yield* run(["log", "verify"], at(name))
      })
      // Known from a segment, and then only from the base of a newer generation.
      yield* run(["backup", target, "--without-keys"], data)
      yield* check("segment")
      const end = yield* run(["restore", target, "--without-keys"], at("end"))
      assert.deepInclude(end, { erasedAgain: 0, events: 8 })
    })
  )

  it.live("leaves the backup with the last base that names it", () =>
    Effect.gen(function* () {
      const { at, data, target } = yield* erased
      const [base] = (yield* manifestIn(target)).generations
      const twoBases = yield* run(["backup", target, "--without-keys", "--full"], data)
      assert.deepInclude(twoBases, { kind: "base", removedBlobs: 0 })
      const restored = yield* run(["restore", target, "--without-keys", "--until", "5"], at("newer"))
      assert.deepInclude(restored, { erasedAgain: 3, blobs: 2 })
      fs.cpSync(target, at("before"), { recursive: true })

      const one = yield* run(["backup", target, "--without-keys", "--full", "--keep", "1"], data)
      assert.deepInclude(one, { kind: "base", removedBlobs: 2 })
      const left = filesBelow(target).filter((name) => name.startsWith("blobs"))
      assert.strictEqual(left.length, 2)
      assert.isUndefined((yield* manifestIn(target)).retired)
      for (const folder of ["base", "inventories"]) assert.lengthOf(filesBelow(path.join(target, folder)), 1)
      yield* run(["backup", target, "--verify"], data)

      // As after a crash before the removal.
      const manifest = yield* manifestIn(target)
      const inventories = base?.inventories ?? []
      for (const name of filesBelow(at("before"))) {
        const isOld = name.startsWith("blobs") || inventories.some(({ key }) => name === key)
        if (isOld) fs.cpSync(path.join(at("before"), name), path.join(target, name))
      }
      fs.writeFileSync(
        path.join(target, "manifest.json"),
        Manifest.render({ ...manifest, retired: inventories })
      )
      assert.deepInclude(yield* run(["backup", target, "--without-keys"], data), { removedBlobs: 2 })
      assert.deepStrictEqual(
        filesBelow(target).filter((name) => name.startsWith("blobs")),
        left
      )
      assert.lengthOf(filesBelow(path.join(target, "inventories")), 1)
      const whole = yield* run(["restore", target, "--without-keys"], at("whole"))
      assert.deepInclude(whole, { events: 8, blobs: 2 })
    })
  )
})

describe("many small increments", () => {
  it.live("are merged, and restore to the same log", () =>
    Effect.gen(function* () {
      const { at, data, target } = yield* filled(2)
      const backup = run(["backup", target, "--without-keys"], data)
      const scale = Effect.fnUntraced(function* (by: number) {
        const manifest = yield* manifestIn(target)
        const [generation] = manifest.generations
        const [{ rawSize } = { rawSize: 0 }] = generation.segments
        const [first, ...others] = generation.segments
        const segments = first === undefined ? [] : [{ ...first, rawSize: rawSize * by }, ...others]
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
