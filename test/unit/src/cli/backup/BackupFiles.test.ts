/** What a backup consists of, and what a restore makes of it. */
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { JsonObject } from "#domain/CanonicalJson.ts"
import { EventStore } from "#streams/EventStore.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import * as StreamName from "#streams/StreamName.ts"
import { eventData } from "#test/support/EventFixtures.ts"
import { root } from "#test/support/ServerProcess.ts"
import { BlobStore } from "#streams/BlobStore.ts"
import * as MemoryBlobStore from "#streams/MemoryBlobStore.ts"
import { OAuthDatabase } from "#src/edges/oauth/OAuthDatabase.ts"
import { Records } from "#src/edges/oauth/Records.ts"
import * as Targets from "#src/features/backup/target/Targets.ts"
import * as Verification from "#src/features/backup/verifying/Verification.ts"
import * as Pieces from "#src/features/backup/format/Pieces.ts"
import * as DataDirectory from "#test/support/streams/sqlite/DataDirectory.ts"
import * as Manifest from "#src/features/backup/format/Manifest.ts"
import { dataFormat } from "#src/kernel/program/DataFormat.ts"
import * as ReleaseFile from "#src/kernel/disk/ReleaseFile.ts"
import * as FilledLog from "#test/support/src/cli/log/FilledLog.ts"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"
import { filesBelow, filled, manifestIn, refused, run } from "#test/support/src/cli/backup/BackedUp.ts"
import * as Damaging from "#test/support/src/cli/backup/Damaging.ts"

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
