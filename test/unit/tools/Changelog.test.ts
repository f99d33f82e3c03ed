import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as Changelog from "#tools/Changelog.ts"
import { version } from "#src/kernel/program/ReleaseVersion.ts"

const text = (entries: string) =>
  `# Changelog\n\n## [Unreleased]\n${entries}\n## [0.1.0] - 2026-01-01\n\n- first\n`

describe("the changelog of a release", () => {
  it("has what was unreleased, under the version and the day", () => {
    const before = text("\n### Added\n\n- a `$&` thing\n")
    assert.isNull(Changelog.objection(before))
    const after = Changelog.released(before, "0.2.0", "2026-02-03")
    assert.include(
      after,
      "## [Unreleased]\n\n## [0.2.0] - 2026-02-03\n\n### Added\n\n- a `$&` thing\n\n## [0.1.0]"
    )
    assert.match(Changelog.objection(after) ?? "", /lists nothing/)
  })

  it.each(["", "\n### Added\n\n"])("refuses to release nothing: %j", (entries) => {
    assert.match(Changelog.objection(text(entries)) ?? "", /lists nothing/)
  })

  it("needs its heading", () => assert.match(Changelog.objection("# Changelog\n") ?? "", /no heading/))

  it("goes with the version that the README states", () => {
    const readme = fs.readFileSync("README.md", "utf8")
    assert.include(readme, `Version ${version}: `)
    assert.include(Changelog.stated(readme, "7.8.9"), "Version 7.8.9: ")
  })

  it.each(Object.keys(Changelog.stating))(
    "goes with the version that %s states, wherever it does",
    (name) => {
      const text = fs.readFileSync(name, "utf8")
      const restate = Changelog.stating[name] ?? assert.fail(name)
      assert.notStrictEqual(restate(text, "7.8.9"), text)
      assert.strictEqual(restate(restate(text, "7.8.9"), version), text)
    }
  )
})
