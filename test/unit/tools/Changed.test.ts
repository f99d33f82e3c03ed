import { assert, describe, it } from "@effect/vitest"
import * as Changed from "#tools/Changed.ts"
import * as TestFiles from "#tools/TestFiles.ts"

const test = (group: TestFiles.Group, name: string) =>
  TestFiles.parse(`test/${group}/${name}.test.ts`, group, "")

const texts = (files: Readonly<Record<string, string>>) => new Map(Object.entries(files))

const paths = (files: ReadonlyArray<TestFiles.TestFile>) => files.map(({ path }) => path)

describe("what a change reaches", () => {
  const sources = texts({
    "domain/Money.ts": "",
    "domain/Types.ts": 'import type { Money } from "./Money.ts"',
    "streams/Writer.ts": 'new Worker(new URL("./thread.ts", import.meta.url))',
    "streams/thread.ts": 'import * as Money from "#domain/Money.ts"',
    "test/unit/Writer.test.ts": 'import * as Writer from "#streams/Writer.ts"',
    "test/unit/Money.test.ts": 'import * as Money from "#domain/Money.ts"',
    "test/unit/Page.test.ts": '/** See docs/design.md. */ read("docs/operators/install.md")',
    "test/unit/Manifests.test.ts": 'new URL("../../models/sandbox", import.meta.url)',
    "test/unit/Fixtures.test.ts": 'read("../fixtures/events/" + name); run("domain/Money.ts")'
  })
  const reached = (...changed: ReadonlyArray<string>) =>
    Object.fromEntries(
      [...Changed.reached(sources, changed)].filter(([file]) => file.startsWith("test/unit/"))
    )

  it("goes by imports and by threads, and not by types", () => {
    assert.deepStrictEqual(reached("domain/Money.ts"), {
      "test/unit/Money.test.ts": 1,
      "test/unit/Writer.test.ts": 3,
      "test/unit/Fixtures.test.ts": 1
    })
    assert.isFalse(Changed.reached(sources, ["domain/Money.ts"]).has("domain/Types.ts"))
  })

  it("takes the shortest way from several changes", () => {
    assert.strictEqual(reached("domain/Money.ts", "streams/thread.ts")["test/unit/Writer.test.ts"], 2)
  })

  it("goes by the names of pages, manifests and fixtures, the more general the farther", () => {
    assert.deepStrictEqual(reached("docs/operators/install.md"), { "test/unit/Page.test.ts": 1 })
    assert.deepStrictEqual(reached("models/sandbox/echo.yaml"), { "test/unit/Manifests.test.ts": 3 })
    assert.deepStrictEqual(reached("test/fixtures/events/Account/Opened.json"), {
      "test/unit/Fixtures.test.ts": 4
    })
  })

  it("does not go by comments", () => assert.deepStrictEqual(reached("docs/design.md"), {}))
})

describe("the tests that a change can break", () => {
  const own = test("unit", "domain/Money")
  const beside = test("unit", "domain/Ledger")
  const near = test("service", "src/features/billing/Settling")
  const far = test("unit", "src/edges/http/Pages")
  const system = test("system", "domain/Money")
  const farSystem = test("system", "src/Restart")
  const unreached = test("unit", "console/Colours")
  const tests = [farSystem, far, near, beside, own, system, unreached]
  const distances = new Map([
    [own.path, 5],
    [beside.path, 4],
    [near.path, 1],
    [far.path, 3],
    [system.path, 2],
    [farSystem.path, 2]
  ])
  const select = (
    budget: number,
    costs: Readonly<Record<string, number>> = {},
    changed = "domain/Money.ts"
  ) => Changed.select({ tests, changed: [changed], distances, costs: new Map(Object.entries(costs)), budget })

  it("are those of the changed file, those of its folder, then others by distance", () => {
    const { chosen, otherGroups, overBudget } = select(100)
    assert.deepStrictEqual(paths(chosen), paths([own, beside, near, far]))
    assert.deepStrictEqual(paths(overBudget), [])
    assert.deepStrictEqual(paths(otherGroups), paths([system]))
  })

  it("are as many as the budget allows, the first in any case", () => {
    const first = select(0)
    assert.deepStrictEqual(paths(first.chosen), paths([own]))
    assert.deepStrictEqual(paths(first.overBudget), paths([beside, near, far]))
    const some = select(2.5, { [own.path]: 1.5, [beside.path]: 2, [near.path]: 2, [far.path]: 0.5 })
    assert.deepStrictEqual(paths(some.chosen), paths([own, far]))
    assert.deepStrictEqual(paths(some.overBudget), paths([beside, near]))
  })

  it("include a changed test that nothing else reaches, and all tests after a change of a package", () => {
    assert.deepStrictEqual(paths(select(1, {}, unreached.path).chosen), paths([unreached]))
    assert.sameMembers(
      paths(select(100, {}, "package-lock.json").chosen),
      paths([own, beside, near, far, unreached])
    )
  })
})

describe("a build of the present sources", () => {
  const sources = texts({
    "src/Pool.ts": 'new URL("./thread.ts", import.meta.url)',
    "test/unit/Pool.test.ts": 'import * as Pool from "#src/Pool.ts"',
    "test/unit/Text.test.ts": 'import type { Pool } from "#src/Pool.ts"'
  })

  it("is needed by tests that start threads, and by no others", () => {
    assert.isTrue(Changed.needBuild(sources, [test("unit", "Pool")]))
    assert.isFalse(Changed.needBuild(sources, [test("unit", "Text")]))
  })
})
