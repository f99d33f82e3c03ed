/** The folder of manifests on a real disk, with a separate log. */
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, Queue, References, Result, type Scope, Stream } from "effect"
import { CatalogContents } from "#src/features/catalog/CatalogContents.ts"
import { Publishing } from "#src/features/catalog/Publishing.ts"
import * as Core from "#src/composition/Core.ts"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import * as FolderPass from "#src/features/manifests/FolderPass.ts"
import * as ModelsFolder from "#src/features/manifests/ModelsFolder.ts"
import { EventReader, EventStoreError } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as ShortSleeps from "#test/support/ShortSleeps.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as TestCatalog from "#test/support/TestCatalog.ts"
import * as Folder from "#test/support/src/features/manifests/ManifestFolder.ts"

const services = TestCatalog.layer(null).pipe(
  Layer.provideMerge(Core.layer),
  Layer.provide(TempDirectory.provide(DataDirectory.layerAt)),
  Layer.provide(Layer.succeed(References.MinimumLogLevel, "Error"))
)

/** The log lines from now on; tests wait for each. */
const logged = Effect.gen(function* () {
  const lines = yield* Queue.unbounded<string>()
  const logger = Logger.make(({ message }) => {
    Queue.offerUnsafe(lines, String(Array.isArray(message) ? message[0] : message))
  })
  const take = (part: string, before: ReadonlyArray<string> = []): Effect.Effect<ReadonlyArray<string>> =>
    Effect.flatMap(Queue.take(lines), (line) => {
      const all = [...before, line]
      return line.includes(part) ? Effect.succeed(all) : take(part, all)
    })
  const until = (part: string) => Effect.map(take(part), (all) => all.at(-1) ?? "")
  return { layer: Logger.layer([logger]), take, until, rest: Queue.clear(lines) }
})

const versionOf = (endpoint: string) =>
  Effect.gen(function* () {
    const { byEndpoint } = yield* (yield* CatalogContents).current
    const listed = byEndpoint.get(endpoint)
    return listed?.kind === "model" ? `${listed.status} ${listed.model.displayName}` : null
  })

const events = Effect.flatMap(EventReader, (reader) =>
  Stream.runCollect(reader.readAll(GlobalPosition.beginning))
)

const named = (name: string, displayName: string, more = "") =>
  Folder.model(name, more).replace("displayName: Test", `displayName: ${displayName}`)

/** As editors save: a new file replaces the old one. */
const replaceFile = (folder: string, name: string, text: string): void => {
  fs.writeFileSync(path.join(folder, `.${name}.tmp`), text)
  fs.renameSync(path.join(folder, `.${name}.tmp`), path.join(folder, name))
}

/** Changes are looked for often, and count at once. */
const settled = ShortSleeps.layer("5 seconds", "250 millis")

const test = (
  what: string,
  effect: Effect.Effect<void, unknown, Layer.Success<typeof services> | Scope.Scope>
) => it.live(what, () => effect.pipe(Effect.provide(services), Effect.provide(settled)))

describe("The folder of manifests", () => {
  test(
    "is published at start, and an unchanged one publishes nothing again",
    Effect.gen(function* () {
      const folder = yield* TempDirectory.make
      Folder.write(folder, { "a/one.yaml": named("acme/one", "One"), "bad.yaml": "kind: nothing" })
      const log = yield* logged
      const start = Effect.scoped(Effect.provide(Layer.build(ModelsFolder.layerAt(folder)), log.layer))
      yield* start
      assert.strictEqual(yield* versionOf("acme/one"), "active One")
      const [published, ...others] = (yield* events).filter(({ type }) => type === "ModelPublished")
      assert.strictEqual(published?.data["source"], "models/a/one.yaml")
      assert.lengthOf(others, 0)
      const head = (yield* events).length
      yield* start
      assert.lengthOf(yield* events, head)
      const errors = (yield* log.rest).filter((line) => line.includes("has an error"))
      assert.deepStrictEqual(
        errors,
        Array(2).fill(
          `A manifest has an error: ${folder}/bad.yaml:1:1: kind: Expected one of model, wrapper, collection, gpu, deployment-template`
        )
      )
    })
  )

  test(
    "publishes valid changes, leaves broken ones unpublished, and logs each error once",
    Effect.gen(function* () {
      const folder = yield* TempDirectory.make
      Folder.write(folder, { "one.yaml": named("acme/one", "One"), "two.yaml": named("acme/two", "Two") })
      const log = yield* logged
      yield* Effect.provide(Layer.build(ModelsFolder.layerAt(folder)), log.layer)
      yield* log.rest

      replaceFile(folder, "one.yaml", named("acme/one", "Other"))
      yield* log.until("A manifest is published")
      assert.strictEqual(yield* versionOf("acme/one"), "active Other")

      // A half-written file beside a valid change.
      fs.writeFileSync(path.join(folder, "one.yaml"), named("acme/one", "Third").slice(0, 60))
      fs.mkdirSync(path.join(folder, "new"))
      fs.writeFileSync(path.join(folder, "new", "three.yaml"), named("acme/three", "Three"))
      assert.include(yield* log.until("has an error"), `${folder}/one.yaml:`)
      yield* log.until("A manifest is published")
      assert.strictEqual(yield* versionOf("acme/one"), "active Other")
      assert.strictEqual(yield* versionOf("acme/three"), "active Three")

      yield* log.rest
      replaceFile(folder, "two.yaml", named("acme/two", "Second", "deprecated: true"))
      const meanwhile = yield* log.take("A manifest is published")
      assert.isFalse(meanwhile.some((line) => line.includes("one.yaml")))

      replaceFile(folder, "one.yaml", named("acme/one", "Third"))
      yield* log.until("All manifests are valid again")
      yield* log.until("A manifest is published")
      assert.strictEqual(yield* versionOf("acme/one"), "active Third")
      assert.strictEqual(yield* versionOf("acme/two"), "deprecated Second")
    })
  )

  test(
    "withdraws nothing with a deleted manifest, and offers nothing again that a command has withdrawn",
    Effect.gen(function* () {
      const folder = yield* TempDirectory.make
      Folder.write(folder, { "one.yaml": named("acme/one", "One"), "two.yaml": named("acme/two", "Two") })
      const log = yield* logged
      yield* Effect.provide(Layer.build(ModelsFolder.layerAt(folder)), log.layer)
      yield* (yield* Publishing).withdraw("model", "acme/two", "command")
      fs.rmSync(path.join(folder, "one.yaml"))
      assert.include(yield* log.until("in no manifest"), "'inferlog models withdraw acme/one' takes it out")
      assert.strictEqual(yield* versionOf("acme/one"), "active One")
      assert.isNull(yield* versionOf("acme/two"))
    })
  )

  test(
    "overwrites definitions of others only with changed files, even with errors",
    Effect.gen(function* () {
      const [one, other] = [yield* TempDirectory.make, yield* TempDirectory.make]
      const broken = Folder.wrapper("acme/wrapper", "acme/later")
      Folder.write(one, { "m.yaml": named("acme/model", "One"), "w.yaml": broken })
      Folder.write(other, { "m.yaml": named("acme/model", "Other"), "bad.yaml": "kind: nothing" })
      const log = yield* logged
      const looks = [yield* FolderPass.make(one), yield* FolderPass.make(other)]
      const look = Effect.provide(Effect.all(looks), log.layer)
      yield* look
      assert.strictEqual(yield* versionOf("acme/model"), "active Other")
      const head = (yield* events).length
      yield* look
      yield* look
      assert.lengthOf(yield* events, head)

      // The missing item is published elsewhere: the items that waited for it are published, and no others.
      Folder.write(other, { "later.yaml": named("acme/later", "Later") })
      yield* look
      yield* look
      const later = (yield* events).slice(head).map(({ stream }) => String(stream))
      assert.deepStrictEqual(later, ["Model-acme/later", "Model-acme/wrapper"])
    })
  )

  test(
    "is retried while the log is unavailable, which is logged once",
    Effect.gen(function* () {
      const folder = yield* TempDirectory.make
      Folder.write(folder, { "one.yaml": named("acme/one", "One"), "two.yaml": named("acme/two", "Two") })
      const publishing = yield* Publishing
      let isAway = true
      const look = yield* FolderPass.make(folder).pipe(
        Effect.provideService(Publishing, {
          ...publishing,
          publishBatches: (batches) =>
            isAway
              ? Effect.succeed(batches.map(() => Result.fail(new EventStoreError({ reason: "away" }))))
              : publishing.publishBatches(batches)
        })
      )
      const log = yield* logged
      const looks = Effect.provide(Effect.andThen(look, look), log.layer)
      yield* looks
      const errors = (yield* log.rest).filter((line) => line.includes("cannot be published now"))
      assert.lengthOf(errors, 2)
      isAway = false
      yield* looks
      assert.strictEqual(yield* versionOf("acme/one"), "active One")
      assert.lengthOf(
        (yield* events).filter(({ type }) => type === "ModelPublished"),
        2
      )
    })
  )

  test(
    "may be missing, and be created later",
    Effect.gen(function* () {
      const folder = path.join(yield* TempDirectory.make, "models")
      const log = yield* logged
      yield* Effect.scoped(Effect.provide(Layer.build(ModelsFolder.layerAt(folder)), log.layer))
      assert.strictEqual(
        yield* log.until("MODELS_DIR"),
        `MODELS_DIR: ${folder}: There is no such file or folder`
      )
    })
  )
})
