import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as TestFiles from "#tools/TestFiles.ts"
import * as Tests from "#tools/Tests.ts"

const parse = (head: string, group: TestFiles.Group = "system") =>
  TestFiles.parse(`test/${group}/src/A.test.ts`, group, head)

const fileAt = (group: TestFiles.Group, name: string) => TestFiles.parse(`test/${group}/${name}`, group, "")

const files = [
  fileAt("unit", "src/features/webhooks/Signing.test.ts"),
  fileAt("service", "src/features/webhooks/Webhooks.test.ts"),
  fileAt("system", "src/features/webhooks/BadReceivers.test.ts"),
  fileAt("release", "deploy/Image.test.ts")
]

const chosen = (form: Parameters<typeof Tests.choose>[1], ...filters: ReadonlyArray<string>) =>
  Tests.choose(files, form, filters).chosen.map((file) => path.basename(file.path, ".test.ts"))

describe("A test file", () => {
  it("says in its comment that it runs alone, first or together with others, and why it may cost much", () => {
    const file = parse(
      "/**\n * A stop.\n * @alone It measures.\n * @cost Kills 25 servers,\n *   one after another.\n "
    )
    assert.deepStrictEqual(
      [file.isAlone, file.isFirst, file.together, file.cost],
      [true, false, null, "Kills 25 servers, one after another."]
    )
    assert.strictEqual(
      parse("/** @together test/support/console/Shared.ts ").together,
      "test/support/console/Shared.ts"
    )
    assert.isTrue(parse("/** @first It takes long. ").isFirst)
  })

  it("is not tagged by a word of its text", () => {
    assert.isFalse(parse("/** Runs @alone nothing. ").isAlone)
  })

  it("that runs alone is in a set of its own kind, after the others of its group", () => {
    const sets = TestFiles.sets([parse(""), parse("/** @alone It measures. ")])
    const of = (name: string) => sets.find((set) => set.name === name)
    assert.isFalse(of("system")?.isSerial)
    assert.isTrue(of("system alone")?.isSerial)
    assert.isAbove(of("system alone")?.order ?? 0, of("system")?.order ?? 0)
  })

  it("mirrors the path of its code", () => {
    const strangers = TestFiles.read().filter(({ group, path: file }) => {
      const folder = path.dirname(file).slice(`test/${group}/`.length)
      return !fs.existsSync(path.join(TestFiles.root, folder))
    })
    assert.deepStrictEqual(strangers, [])
  })

  it("is in one of the groups", () => {
    const everywhere = fs
      .readdirSync(path.join(TestFiles.root, "test"), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".test.ts"))
    assert.strictEqual(TestFiles.read().length, everywhere.length)
  })

  it("of the daily groups runs beside others, so that none needs the machine for itself", () => {
    const alone = TestFiles.read().filter(({ group, isAlone }) => isAlone && TestFiles.daily.includes(group))
    assert.deepStrictEqual(alone, [])
  })
})

describe("npm test", () => {
  it("runs the daily groups", () => {
    assert.deepStrictEqual(chosen("daily"), ["Signing", "Webhooks"])
    assert.deepStrictEqual(chosen("rest"), ["BadReceivers"])
    assert.deepStrictEqual(chosen("all"), ["Signing", "Webhooks", "BadReceivers"])
    assert.deepStrictEqual(chosen("release"), ["Image"])
  })

  it("runs the daily files of a room, and a file or a folder of any group by its path", () => {
    assert.deepStrictEqual(chosen("daily", "features/webhooks"), ["Signing", "Webhooks"])
    assert.deepStrictEqual(chosen("daily", "test/system/src/features/webhooks/BadReceivers.test.ts"), [
      "BadReceivers"
    ])
    assert.deepStrictEqual(chosen("daily", "BadReceivers.test.ts"), ["BadReceivers"])
    assert.deepStrictEqual(chosen("daily", "test/release/deploy"), ["Image"])
  })

  it("says what it left out, and how to run it", () => {
    const { leftOut } = Tests.choose(files, "daily", [])
    assert.deepStrictEqual(Tests.leftOutLines(leftOut, []), [
      "Left out: 1 file of test/system. Run npm run test:all",
      "Left out: 1 file of test/release. Run npm run test:release"
    ])
  })
})
