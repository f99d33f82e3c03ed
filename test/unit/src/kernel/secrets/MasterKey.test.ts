import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Context, Effect, Layer } from "effect"
import * as Failure from "#src/cli/Failure.ts"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import { MasterKey } from "#src/kernel/secrets/MasterKey.ts"
import { MasterKeyBytes } from "#src/kernel/secrets/MasterKeyBytes.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"

const hex = "0123456789abcdef".repeat(4)
const another = "f".repeat(64)

type MasterKeyLayer = Layer.Layer<MasterKey, unknown, DataDirectory>

const start = (directory: string, settings: Readonly<Record<string, string>>, layer: MasterKeyLayer) =>
  Effect.scoped(Layer.build(layer)).pipe(
    Effect.map((context) => Context.get(context, MasterKey)),
    Effect.provideService(DataDirectory, directory),
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env: settings }))
  )

const keyFor = (directory: string, settings: Readonly<Record<string, string>>) =>
  MasterKeyBytes(directory).pipe(
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env: settings }))
  )

const test = (name: string, body: (directory: string) => Effect.Effect<void, unknown>) =>
  it.live(name, () => Effect.scoped(Effect.flatMap(TempDirectory.make, body)))

const fileOf = (directory: string) => path.join(directory, "master.key")

describe("The master key", () => {
  test("from the setting creates no file, and derives the same keys on every node", (directory) =>
    Effect.gen(function* () {
      const one = yield* start(directory, { MASTER_KEY: hex }, MasterKey.layer)
      const other = yield* start(directory, { MASTER_KEY: hex.toUpperCase() }, MasterKey.layerRequired)
      assert.deepStrictEqual(one.keyFor("a"), other.keyFor("a"))
      assert.strictEqual(one.keyFor("a").length, 32)
      assert.notDeepEqual(one.keyFor("a"), one.keyFor("b"))
      assert.strictEqual(one.fingerprint, other.fingerprint)
      assert.deepStrictEqual(fs.readdirSync(directory), [])
    }))

  test("from a file that the setting names is the key of the setting", (directory) =>
    Effect.gen(function* () {
      const file = path.join(directory, "credential")
      fs.writeFileSync(file, `${hex.toUpperCase()}\r\n`)
      const one = yield* start(directory, { MASTER_KEY_FILE: file }, MasterKey.layerRequired)
      const other = yield* start(directory, { MASTER_KEY: hex, MASTER_KEY_FILE: "" }, MasterKey.layer)
      assert.strictEqual(one.fingerprint, other.fingerprint)
      assert.deepStrictEqual(yield* keyFor(directory, { MASTER_KEY_FILE: file }), Buffer.from(hex, "hex"))
      assert.deepStrictEqual(fs.readdirSync(directory), ["credential"])
    }))

  const wrongFiles: ReadonlyArray<
    readonly [string, (file: string) => void, Readonly<Record<string, string>>, RegExp]
  > = [
    ["is missing", () => undefined, {}, /there is no such file$/],
    ["is a folder", (file) => fs.mkdirSync(file), {}, /this is a folder/],
    ["holds another text", (file) => fs.writeFileSync(file, "sesame"), {}, /must hold 64 hexadecimal/],
    ["is far too large", (file) => fs.writeFileSync(file, hex.repeat(100)), {}, /must hold 64 hexadecimal/],
    [
      "comes with MASTER_KEY",
      (file) => fs.writeFileSync(file, hex),
      { MASTER_KEY: hex },
      /MASTER_KEY is set, too/
    ]
  ]
  for (const [what, prepare, settings, message] of wrongFiles) {
    test(`is refused without its path if the file of the setting ${what}`, (directory) =>
      Effect.gen(function* () {
        const file = path.join(directory, "sesame")
        prepare(file)
        const error = yield* Effect.flip(
          start(directory, { ...settings, MASTER_KEY_FILE: file }, MasterKey.layer)
        )
        assert.match(String(error), /MASTER_KEY_FILE: /)
        assert.match(String(error), message)
        assert.notInclude(String(error), "sesame")
        assert.isFalse(fs.existsSync(fileOf(directory)))
      }))
  }

  test("with another value derives other keys and another fingerprint", (directory) =>
    Effect.gen(function* () {
      const one = yield* start(directory, { MASTER_KEY: hex }, MasterKey.layer)
      const other = yield* start(directory, { MASTER_KEY: another }, MasterKey.layer)
      assert.notDeepEqual(one.keyFor("a"), other.keyFor("a"))
      assert.notStrictEqual(one.fingerprint, other.fingerprint)
      assert.match(one.fingerprint, /^[\w-]{16}$/)
    }))

  test("is created at the first start, for its owner only, and stays", (directory) =>
    Effect.gen(function* () {
      // Left by a start that was killed.
      fs.writeFileSync(`${fileOf(directory)}.new`, "0123")
      const first = yield* start(directory, {}, MasterKey.layer)
      const file = fileOf(directory)
      assert.strictEqual(fs.statSync(file).mode & 0o777, 0o600)
      assert.match(fs.readFileSync(file, "utf8"), /^[0-9a-f]{64}\n$/)
      assert.deepStrictEqual(fs.readdirSync(directory), ["master.key"])
      const second = yield* start(directory, {}, MasterKey.layer)
      assert.strictEqual(second.fingerprint, first.fingerprint)
      yield* start(directory, { MASTER_KEY: hex }, MasterKey.layer)
      assert.strictEqual((yield* start(directory, {}, MasterKey.layer)).fingerprint, first.fingerprint)
    }))

  for (const text of ["", "0123\n", `${hex}0\n`, `${hex.replace("0", "g")}\n`]) {
    test(`is rejected when its file is damaged: ${JSON.stringify(text)}`, (directory) =>
      Effect.gen(function* () {
        const file = fileOf(directory)
        fs.writeFileSync(file, text)
        const message = Failure.describe(yield* Effect.flip(start(directory, {}, MasterKey.layer)))
        assert.match(message, /^MASTER_KEY: \S+master\.key is damaged: /)
        assert.strictEqual(fs.readFileSync(file, "utf8"), text)
      }))
  }

  test("is required where nodes share a log", (directory) =>
    Effect.gen(function* () {
      const message = Failure.describe(yield* Effect.flip(start(directory, {}, MasterKey.layerRequired)))
      assert.match(message, /^MASTER_KEY: Expected 64 hexadecimal digits/)
      assert.deepStrictEqual(fs.readdirSync(directory), [])
    }))

  test("that is malformed is rejected without being printed", (directory) =>
    Effect.gen(function* () {
      const wrong = `${hex.slice(1)}x`
      const error = yield* Effect.flip(start(directory, { MASTER_KEY: wrong }, MasterKey.layer))
      assert.match(Failure.describe(error), /^MASTER_KEY: Expected 64 hexadecimal digits/)
      assert.notInclude(Failure.describe(error), wrong)
    }))
})
