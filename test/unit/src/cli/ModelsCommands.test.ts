/** The commands of the catalog, without a server: `test/unit/src/edges/admin` has the same operations beside one. */
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as Folder from "#test/support/src/features/manifests/ManifestFolder.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"

const Location = Schema.Struct({
  file: Schema.String,
  line: Schema.Int,
  column: Schema.Int,
  path: Schema.String,
  message: Schema.String
})
const Validated = Schema.Struct({
  ok: Schema.Boolean,
  found: Schema.Int,
  items: Schema.Array(Schema.Struct({ kind: Schema.String, name: Schema.String, file: Schema.String })),
  errors: Schema.Array(Location),
  warnings: Schema.Array(Location)
})
const Imported = Schema.Struct({
  dryRun: Schema.Boolean,
  items: Schema.Array(
    Schema.Struct({ name: Schema.String, change: Schema.String, deprecated: Schema.Boolean })
  )
})
const Listed = Schema.Array(Schema.Struct({ name: Schema.String, status: Schema.String }))
const Shown = Schema.Struct({
  definition: Schema.Struct({
    displayName: Schema.String,
    price: Schema.Struct({ unitPrice: Schema.String })
  }),
  history: Schema.Array(Schema.Struct({ type: Schema.String, source: Schema.NullOr(Schema.String) }))
})

const decode = Schema.decodeUnknownSync(Schema.fromJsonString(Validated))

describe("inferlog models validate", () => {
  it.effect("needs neither a log nor a server, and reports every error with its position", () =>
    Effect.gen(function* () {
      const folder = yield* TempDirectory.make
      const broken = Folder.model("acme/one", "concurrency: 0\nmaxqueued: 1")
      Folder.write(folder, { "a.yaml": broken, "b/c.yaml": Folder.model("acme/two") })
      const settings = { DATA_DIR: path.join(folder, "no-data"), MODELS_DIR: folder }
      const { code, stderr, stdout } = yield* Inferlog.run(["models", "validate"], settings)
      assert.strictEqual(code, 1)
      assert.strictEqual(stdout, "")
      assert.strictEqual(
        stderr,
        [
          `${folder}/a.yaml:11:1: concurrency: Expected a whole number from 1 to 1000000`,
          `${folder}/a.yaml:12:1: maxqueued: Unknown field: is maxQueued meant?`,
          "inferlog: Not valid: 2 definitions, 2 errors, 0 warnings",
          ""
        ].join("\n")
      )
      const json = yield* Inferlog.run(["models", "validate", folder, "--json"], settings)
      const { errors, items, ok } = decode(json.stdout)
      assert.deepStrictEqual([json.code, ok], [1, false])
      assert.deepStrictEqual(
        errors.map(({ line, path }) => [line, path]),
        [
          [11, "concurrency"],
          [12, "maxqueued"]
        ]
      )
      assert.deepStrictEqual(items, [{ kind: "model", name: "acme/two", file: `${folder}/b/c.yaml` }])
      const one = yield* Inferlog.run(["models", "validate", `${folder}/b/c.yaml`], settings)
      assert.deepStrictEqual([one.code, one.stdout], [0, "Valid: 1 definition, 0 errors, 0 warnings\n"])
    })
  )

  it.effect("rejects an empty folder", () =>
    Effect.gen(function* () {
      const folder = yield* TempDirectory.make
      Folder.write(folder, { "notes.txt": "nothing", "empty.yaml": "# nothing yet" })
      const { code, stderr, stdout } = yield* Inferlog.run(["models", "validate", folder], {})
      assert.deepStrictEqual([code, stdout], [1, ""])
      assert.match(stderr, /^inferlog: No manifest found/)
      const json = yield* Inferlog.run(["models", "validate", folder, "--json"], {})
      assert.deepInclude(decode(json.stdout), { ok: false, found: 0 })
      assert.strictEqual(json.code, 1)
    })
  )

  it.effect("requires an existing path", () =>
    Effect.gen(function* () {
      const missing = yield* Inferlog.run(["models", "validate"], {})
      assert.deepStrictEqual(
        [missing.code, missing.stderr],
        [2, "inferlog: Expected a path: MODELS_DIR is not set\n"]
      )
      const nowhere = yield* Inferlog.run(["models", "validate", "/nowhere"], {})
      assert.deepStrictEqual(
        [nowhere.code, nowhere.stderr],
        [1, "inferlog: /nowhere: There is no such file or folder\n"]
      )
    })
  )
})

describe("inferlog models", () => {
  it.effect("imports manifests, reports the result, and shows their history", () =>
    Effect.gen(function* () {
      const folder = yield* TempDirectory.make
      const settings = { DATA_DIR: path.join(folder, "data") }
      const models = path.join(folder, "models")
      yield* Inferlog.run(["accounts", "create", "--name", "acme", "--balance", "1"], settings)
      Folder.write(models, {
        "a.yaml": Folder.model("acme/one"),
        "b.yaml": Folder.model("acme/two", "deprecated: true")
      })
      const changes = (...flags: ReadonlyArray<string>) =>
        Effect.map(Inferlog.json(Imported, ["models", "import", models, ...flags], settings), ({ items }) =>
          items.map(({ change, name }) => `${name} ${change}`)
        )
      const created = ["acme/one created", "acme/two created"]
      assert.deepStrictEqual(yield* changes("--dry-run"), created)
      assert.deepStrictEqual(yield* changes(), created)
      assert.deepStrictEqual(yield* changes("--dry-run"), ["acme/one unchanged", "acme/two unchanged"])

      const more = Folder.wrapper("acme/w", "acme/one")
      Folder.write(models, { "a.yaml": more, "b.yaml": Folder.model("acme/two", "concurrency: 2") })
      yield* Inferlog.run(["models", "withdraw", "acme/two"], settings)
      assert.deepStrictEqual(
        yield* Inferlog.json(Listed, ["models", "list", "--status", "withdrawn"], settings),
        [{ name: "acme/two", status: "withdrawn" }]
      )
      // Its base model is in the catalog and no longer in the folder.
      assert.deepStrictEqual(yield* changes(), ["acme/two updated", "acme/w created"])

      yield* Inferlog.run(["models", "deprecate", "acme/one"], settings)
      assert.deepStrictEqual(yield* Inferlog.json(Listed, ["models", "list"], settings), [
        { name: "acme/one", status: "deprecated" },
        { name: "acme/two", status: "active" },
        { name: "acme/w", status: "active" }
      ])
      const forced = yield* Inferlog.run(["models", "withdraw", "acme/one", "--force"], settings)
      assert.strictEqual(
        forced.stdout,
        "Withdrew model acme/one: it is no longer shown, and new requests are refused.\nUsed by: wrapper acme/w.\n"
      )
      const again = yield* Inferlog.run(["models", "withdraw", "acme/one"], settings)
      assert.deepStrictEqual([again.code, again.stdout], [0, "The model acme/one is already withdrawn.\n"])

      const shown = yield* Inferlog.json(Shown, ["models", "show", "acme/two"], settings)
      assert.deepStrictEqual(
        shown.history.map(({ source, type }) => `${type} ${source}`),
        ["ModelPublished", "ModelDeprecated", "ModelWithdrawn", "ModelPublished"].map(
          (type) => `${type} command`
        )
      )
      assert.strictEqual(shown.definition.price.unitPrice, "0.001")
      const { stdout } = yield* Inferlog.run(["models", "show", "acme/w"], settings)
      assert.match(stdout, /WrapperPublished +\S{22} +command/)
    })
  )

  it.effect("shows schemas and examples as their manifest has them", () =>
    Effect.gen(function* () {
      const folder = yield* TempDirectory.make
      const settings = { DATA_DIR: path.join(folder, "data") }
      const example = '{"z":18446744073709551615,"a":1.10,"text":"\\u00e9"}'
      const manifest = Folder.model("acme/one").replace(
        "exampleInput: { text: Hello }",
        `exampleInput: ${example}`
      )
      Folder.write(folder, { "a.yaml": manifest })
      yield* Inferlog.run(["accounts", "create", "--name", "acme", "--balance", "1"], settings)
      yield* Inferlog.run(["models", "import", path.join(folder, "a.yaml")], settings)

      const json = yield* Inferlog.run(["models", "show", "acme/one", "--json"], settings)
      assert.include(json.stdout, '"exampleInput":{"z":18446744073709551615,"a":1.10,')
      assert.include(json.stdout, '"unitPrice":"0.001"')
      assert.strictEqual(json.stdout.split("\n").length, 2)
      const text = yield* Inferlog.run(["models", "show", "acme/one"], settings)
      assert.include(
        text.stdout,
        ['  "exampleInput": {', '    "z": 18446744073709551615,', '    "a": 1.10,'].join("\n")
      )
      assert.include(text.stdout, '    "unitPrice": "0.001"')
    })
  )

  it.effect("publishes nothing when one manifest has an error, and reports unknown models", () =>
    Effect.gen(function* () {
      const folder = yield* TempDirectory.make
      const settings = { DATA_DIR: path.join(folder, "data") }
      const models = path.join(folder, "models")
      yield* Inferlog.run(["accounts", "create", "--name", "acme", "--balance", "1"], settings)
      Folder.write(models, { "a.yaml": Folder.model("acme/one"), "b.yaml": "kind: gpus" })
      const { code, stderr } = yield* Inferlog.run(["models", "import", models], settings)
      assert.strictEqual(code, 1)
      assert.include(stderr, `${models}/b.yaml:1:1: kind: Expected one of`)
      assert.include(stderr, "inferlog: Nothing was published: 2 definitions, 1 error, 0 warnings")
      const none = yield* Inferlog.run(["models", "show", "acme/one"], settings)
      assert.deepStrictEqual([none.code, none.stderr], [1, "inferlog: The catalog has no acme/one\n"])
    })
  )
})
