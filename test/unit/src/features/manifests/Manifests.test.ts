import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Money from "#domain/Money.ts"
import * as Folder from "#test/support/src/features/manifests/ManifestFolder.ts"

const without = (text: string, line: string): string =>
  text
    .split("\n")
    .filter((one) => !one.startsWith(line))
    .join("\n")

const replaced = (line: string, by: string) => {
  const [field = ""] = line.split(":")
  return without(Folder.model("acme/one"), `${field}:`) + by
}

/** Each has all of these, in this order. */
const broken: ReadonlyArray<readonly [what: string, files: Folder.Files, lines: ReadonlyArray<string>]> = [
  [
    "no YAML",
    { "a.yaml": "kind: [model\nname: x" },
    ["a.yaml:2:1: Flow sequence in block collection must be sufficiently indented and end with a ]"]
  ],
  [
    "a tag",
    { "a.yaml": "kind: !!js/function model" },
    ["a.yaml:1:7: Unresolved tag: tag:yaml.org,2002:js/function"]
  ],
  ["a name twice in a map", { "a.yaml": "kind: gpu\nkind: gpu" }, ["a.yaml:2:1: Map keys must be unique"]],
  [
    "aliases beyond number",
    { "a.yaml": `a: &a [1]\nb: [${"*a, ".repeat(200)}]` },
    ["a.yaml:2:405: b[100]: Expected at most 100 aliases"]
  ],
  [
    "an alias of itself",
    { "a.yaml": "kind: gpu\na: &a [*a]" },
    ["a.yaml:2:8: a[0]: Expected an anchor of this name before the alias"]
  ],
  [
    "levels beyond number",
    { "a.json": `${"[".repeat(70)}${"]".repeat(70)}` },
    ["a.json:1:65: [0][0][0][0][0][0][0][0]: Expected at most 64 levels"]
  ],
  [
    "no JSON",
    { "a.yaml": "kind: gpu\nmemoryGb: .nan" },
    ["a.yaml:2:11: memoryGb: Expected a number that JSON has"]
  ],
  ["a list", { "a.yaml": "- kind: gpu" }, ["a.yaml:1:1: Expected an object with a field kind"]],
  [
    "no kind",
    { "a.yaml": "name: x" },
    ["a.yaml:1:1: kind: Missing: Expected one of model, wrapper, collection, gpu, deployment-template"]
  ],
  [
    "another kind",
    { "a.yaml": "kind: modle" },
    ["a.yaml:1:1: kind: Expected one of model, wrapper, collection, gpu, deployment-template"]
  ],
  [
    "a misspelled field",
    { "a.yaml": Folder.model("acme/one", "max_queued: 5") },
    ["a.yaml:11:1: max_queued: Unknown field: is maxQueued meant?"]
  ],
  [
    "an unknown field",
    { "a.yaml": replaced("pricing:", 'pricing: { unit: request, unitPrice: "1", zzz: 1 }') },
    [
      "a.yaml:10:43: pricing.zzz: Unknown field: expected unit, unitPrice, minimumCharge, quantity, maxQuantity, delivered"
    ]
  ],
  [
    "a missing field",
    { "a.yaml": without(Folder.model("acme/one"), "category:") },
    ["a.yaml:1:1: category: Missing"]
  ],
  [
    "a float for money",
    { "a.yaml": replaced("pricing:", "pricing:\n  unit: request\n  unitPrice: 0.003") },
    [
      'a.yaml:12:3: pricing.unitPrice: Expected the amount in quotes, such as "0.0125": a bare number is not exact'
    ]
  ],
  [
    "a negative price",
    { "a.yaml": replaced("pricing:", 'pricing: { unit: request, unitPrice: "-1" }') },
    [
      'a.yaml:10:27: pricing.unitPrice: Expected an amount in USD from 0 to 1000000 with at most nine places, in quotes, such as "0.0125"'
    ]
  ],
  [
    "a name without an owner",
    { "a.yaml": Folder.model("flux") },
    [
      "a.yaml:2:1: name: Expected owner/name, both of lower-case letters, digits, dots, dashes and underscores, such as acme/flux"
    ]
  ],
  [
    "a reserved owner",
    { "a.yaml": Folder.model("requests/flux") },
    ["a.yaml:2:1: name: Expected another owner: routes of the server have this one"]
  ],
  [
    "a time limit beyond a day",
    { "a.yaml": Folder.model("acme/one", "timeoutSeconds: 86401") },
    ["a.yaml:11:1: timeoutSeconds: Expected a number of seconds from 1 to 86400"]
  ],
  [
    "providers twice",
    { "a.yaml": Folder.model("acme/one", "providers: [{ adapter: pull }]") },
    ["a.yaml:6:1: provider: Expected providers or provider, not both"]
  ],
  [
    "no provider",
    { "a.yaml": without(Folder.model("acme/one"), "provider:") },
    ["a.yaml:1:1: provider: Missing: expected providers, or provider for one"]
  ],
  [
    "credentials in a URL",
    { "a.yaml": replaced("provider:", "provider: { adapter: http, url: 'http://me:s3cret@10.0.0.5' }") },
    [
      "a.yaml:10:28: provider.url: Expected a URL without credentials: name the variable that holds them as secretEnv"
    ]
  ],
  [
    "another scheme",
    { "a.yaml": replaced("provider:", "provider: { adapter: http, url: 'ftp://10.0.0.5' }") },
    ["a.yaml:10:28: provider.url: Expected an http or https URL, such as http://10.0.0.5:9000"]
  ],
  [
    "an adapter without its URL",
    { "a.yaml": replaced("provider:", "provider: { adapter: http }") },
    ["a.yaml:10:1: provider.url: Missing: the adapter http wants it"]
  ],
  [
    "a URL where workers come",
    { "a.yaml": replaced("provider:", "provider: { adapter: pull, url: 'http://10.0.0.5' }") },
    ["a.yaml:10:28: provider.url: Expected nothing: the adapter pull has no use for it"]
  ],
  [
    "an unknown option",
    { "a.yaml": replaced("provider:", "provider: { adapter: pull, options: { zzz: 1 } }") },
    ["a.yaml:10:39: provider.options.zzz: Unknown field: expected leaseSeconds"]
  ],
  [
    "a secret in place of its name",
    { "a.yaml": replaced("provider:", "provider: { adapter: pull, secretEnv: sk-123 }") },
    ["a.yaml:10:28: provider.secretEnv: Expected the name of an environment variable, such as GPU_TOKEN"]
  ],
  [
    "two providers of one name",
    {
      "a.yaml": replaced(
        "provider:",
        "providers:\n  - { adapter: pull, name: a }\n  - { adapter: pull, name: a }"
      )
    },
    ["a.yaml:12:22: providers[1].name: Expected another name: a provider before it is a, too"]
  ],
  [
    "a built-in adapter",
    { "a.yaml": replaced("provider:", "provider: { adapter: builtin }") },
    [
      'a.yaml:10:13: provider.adapter: Expected "http" | "cog" | "openai" | "kserve" | "replicate" | "fal" | "runpod" | "pull"'
    ]
  ],
  [
    "a mapping that is no JSONata",
    { "a.yaml": replaced("provider:", "providers:\n  - { adapter: pull, input: 'text +' }") },
    ["a.yaml:11:22: providers[0].input: Unexpected end of expression at character 6"]
  ],
  [
    "no JSON Schema",
    { "a.yaml": replaced("outputSchema:", "outputSchema: { type: objekt }") },
    [
      "a.yaml:10:1: outputSchema: schema is invalid: data/type must be equal to one of the allowed values, data/type must be array, data/type must match a schema in anyOf"
    ]
  ],
  [
    "an example that is not valid",
    { "a.yaml": replaced("exampleInput:", "exampleInput:\n  text: 5") },
    ["a.yaml:11:3: exampleInput.text: Not valid under inputSchema: must be string"]
  ],
  [
    "units that cannot be computed",
    { "a.yaml": replaced("pricing:", 'pricing: { unit: image, unitPrice: "1" }') },
    ["a.yaml:10:1: pricing: quantity or maxQuantity: expected for the unit image"]
  ],
  [
    "units that are no number",
    { "a.yaml": replaced("pricing:", 'pricing: { unit: image, unitPrice: "1", quantity: text }') },
    [
      "a.yaml:10:1: pricing: Of exampleInput: The quantity of this run cannot be computed: expected a number from 0 to 1000000000000, and below 1000000000 when it has a fraction."
    ]
  ],
  [
    "a schema file outside",
    { "a.yaml": replaced("inputSchema:", "inputSchema: { $file: ../../../etc/x.json }") },
    ["a.yaml:10:16: inputSchema.$file: There is no such file"]
  ],
  [
    "one name twice",
    { "a.yaml": Folder.model("acme/one"), "b.yaml": Folder.wrapper("acme/one", "acme/one") },
    ["b.yaml:2:1: name: Expected another name: FOLDER/a.yaml:2 has this one"]
  ],
  [
    "a wrapper of nothing",
    { "a.yaml": Folder.wrapper("acme/w", "acme/none") },
    ["a.yaml:6:1: base: There is no model acme/none"]
  ],
  [
    "a wrapper of a wrapper",
    { "a.yaml": Folder.wrapper("acme/w", "sandbox/greeting") },
    ["a.yaml:6:1: base: Expected a model: sandbox/greeting is a wrapper"]
  ],
  [
    "a wrapper of a broken model",
    {
      "a.yaml": Folder.model("acme/one", "timeoutSeconds: 0"),
      "b.yaml": Folder.wrapper("acme/w", "acme/one")
    },
    [
      "a.yaml:11:1: timeoutSeconds: Expected a number of seconds from 1 to 86400",
      "b.yaml:6:1: base: acme/one has errors of its own: they come first"
    ]
  ],
  [
    "a placeholder without a source",
    {
      "a.yaml": Folder.model("acme/one"),
      "b.yaml": Folder.wrapper("acme/w", "acme/one").replace("{{who}}", "{{whom}}")
    },
    ["b.yaml:7:1: template: {{whom}} is neither a property of inputSchema nor one of defaults: is who meant?"]
  ],
  [
    "a template that its base refuses",
    {
      "a.yaml": Folder.model("acme/one"),
      "b.yaml": Folder.wrapper("acme/w", "acme/one").replace('"Dear {{who}}"', "5")
    },
    [
      "b.yaml:9:1: exampleInput: Not valid under inputSchema: must make an input that acme/one takes: /text must be string"
    ]
  ],
  [
    "a collection of nothing",
    {
      "a.yaml":
        "kind: collection\nname: mine\ndisplayName: Mine\ndescription: M\nmodels: [sandbox/echo, acme/none]"
    },
    ["a.yaml:5:24: models[1]: There is no model or wrapper acme/none"]
  ],
  [
    "a template on nothing",
    {
      "a.yaml":
        "kind: deployment-template\nname: t\ndisplayName: T\ndescription: T\ncategory: text\nimage: x\ngpus: [zx80]\nminReplicas: 2"
    },
    ["a.yaml:8:1: minReplicas: Expected at most what maxReplicas is"]
  ],
  [
    "an unknown GPU",
    {
      "a.yaml":
        "kind: deployment-template\nname: t\ndisplayName: T\ndescription: T\ncategory: text\nimage: x\ngpus: [zx80]"
    },
    ["a.yaml:7:8: gpus[0]: There is no GPU zx80"]
  ]
]

describe("Manifests", () => {
  for (const [what, files, expected] of broken) {
    it.effect(`report ${what}`, () =>
      Effect.gen(function* () {
        const { items, lines } = yield* Folder.check(files)
        assert.deepStrictEqual(
          lines.map((line) => line.replace(/\/[^ ]*inferlog-test-\w+/, "FOLDER")),
          expected
        )
        assert.isFalse(items.some(({ file }) => file.endsWith(expected[0]?.split(":")[0] ?? "")))
      })
    )
  }

  it.effect("survive extreme nesting, with few error lines", () =>
    Effect.gen(function* () {
      const { items, lines } = yield* Folder.check({ "a.json": "[".repeat(100_000) })
      assert.isAtMost(lines.length, 5)
      assert.include(lines[0] ?? "", "Expected at most 64 levels")
      assert.deepStrictEqual(items, [])
    })
  )

  it.effect("are not compiled when they exceed the size of an event", () =>
    Effect.gen(function* () {
      const text = Folder.model("acme/one").replace(/inputSchema: .*/, "inputSchema: { $file: schema.json }")
      const schema = { type: "objekt", description: "x".repeat(262_144) }
      const { items, lines } = yield* Folder.check({ "a.yaml": text, "schema.json": JSON.stringify(schema) })
      assert.deepStrictEqual(lines, ["a.yaml:1:1: Expected a definition of at most 262144 bytes as JSON"])
      assert.deepStrictEqual(items, [])
    })
  )

  it.effect("are all checked, every error is reported, and the valid ones stay valid", () =>
    Effect.gen(function* () {
      const { found, lines, names } = yield* Folder.check({
        "a.yaml": `${Folder.model("acme/one", "concurrency: 0")}\n---\n${Folder.model("acme/two")}`,
        "b/c.json": JSON.stringify({ kind: "gpu", name: "G" }),
        "d.yml": "{"
      })
      assert.strictEqual(found, 4)
      assert.deepStrictEqual(names, ["acme/two"])
      assert.deepStrictEqual(
        lines.map((line) => line.split(": ").slice(0, 2).join(": ")),
        [
          "a.yaml:11:1: concurrency",
          "b/c.json:1:1: displayName",
          "b/c.json:1:1: manufacturer",
          "b/c.json:1:1: memoryGb",
          "b/c.json:1:1: pricePerHour",
          "b/c.json:1:15: name",
          "d.yml:1:2: Flow map must end with a }"
        ]
      )
    })
  )

  it.effect("warn about what will not work, without values of secrets", () =>
    Effect.gen(function* () {
      const remote = Folder.model("acme/one").replace(
        '{ adapter: http, url: "http://10.0.0.5:9000" }',
        '{ adapter: http, url: "http://api.example.com/v1", secretEnv: ACME_TOKEN }'
      )
      const unset = yield* Folder.check({ "a.yaml": without(remote, "description:") })
      assert.deepStrictEqual(unset.lines, [
        "warning a.yaml:1:1: description: Missing: lists and searches show what it says",
        "warning a.yaml:5:28: provider.url: The secret goes over the internet unencrypted: https is meant?",
        "warning a.yaml:5:62: provider.secretEnv: ACME_TOKEN is not set in this environment"
      ])
      assert.deepStrictEqual(unset.names, ["acme/one"])
      const set = yield* Folder.check(
        { "a.yaml": remote.replace("api.example.com", "10.0.0.5") },
        { ACME_TOKEN: "s3cret" }
      )
      assert.deepStrictEqual(set.lines, [])
    })
  )

  it.effect("become definitions: names of providers, defaults, money and separate schema files", () =>
    Effect.gen(function* () {
      const { items, lines } = yield* Folder.check({
        "models/a.yaml": Folder.model("acme/one", "retry: { retries: 2 }\ndeprecated: true").replace(
          "{ type: object, properties: { text: { type: string } } }",
          "{ $file: ../schemas/a.json }"
        ),
        "schemas/a.json": JSON.stringify({ type: "object", properties: { text: true } })
      })
      assert.deepStrictEqual(lines, [])
      const [item] = items
      assert.isTrue(item?.kind === "model")
      if (item?.kind !== "model") return
      const { model } = item
      assert.isTrue(item.isDeprecated)
      assert.deepStrictEqual(model.providers, [
        { adapter: "http", name: "http:10.0.0.5:9000", url: "http://10.0.0.5:9000" }
      ])
      assert.deepStrictEqual(model.inputSchema, { type: "object", properties: { text: true } })
      assert.deepStrictEqual(model.price, {
        unit: "request",
        unitPrice: Money.NanoUsd.make(1_000_000n),
        minimumCharge: Money.zero
      })
      assert.deepStrictEqual(model.retry, { retries: 2, initialDelayMs: 250 })
      assert.deepStrictEqual([model.expectedSeconds, model.timeoutSeconds, model.concurrency], [10, 600, 1])
      assert.lengthOf(model.version, 22)
    })
  )
})
