/** `npm version`, run in a repository of its own with the files that a release changes. */
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { version } from "#src/kernel/program/ReleaseVersion.ts"
import * as Changelog from "#tools/Changelog.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"

const root = path.resolve(import.meta.dirname, "../../..")

/** Each states the version. */
const changed = ["CHANGELOG.md", "package.json", ...Object.keys(Changelog.stating)].toSorted()

const author = { NAME: "Test", EMAIL: "test@example.com" }

/** No settings of the user, such as signing, and no network. */
const environment = {
  PATH: process.env["PATH"],
  HOME: "/nonexistent",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  ...Object.fromEntries(
    Object.entries(author).flatMap(([name, value]) => [
      [`GIT_AUTHOR_${name}`, value],
      [`GIT_COMMITTER_${name}`, value]
    ])
  ),
  npm_config_update_notifier: "false",
  npm_config_offline: "true"
}

const runIn = (cwd: string) => (command: string, args: ReadonlyArray<string>) =>
  childProcess.spawnSync(command, args, { cwd, env: environment, encoding: "utf8" })

/** A repository with one commit, and this under [Unreleased]. */
const repository = Effect.fnUntraced(function* (unreleased: string) {
  const folder = yield* TempDirectory.make
  for (const name of [...changed, "tools"]) {
    fs.cpSync(path.join(root, name), path.join(folder, name), { recursive: true })
  }
  const text = `# Changelog\n\n## [Unreleased]\n${unreleased}\n## [${version}] - 2026-01-01\n\n- first\n`
  fs.writeFileSync(path.join(folder, "CHANGELOG.md"), text)
  const run = runIn(folder)
  for (const args of [
    ["init", "-q"],
    ["add", "."],
    ["commit", "-q", "-m", "Start"]
  ]) {
    const { status, stderr } = run("git", args)
    assert.strictEqual(status, 0, stderr)
  }
  return { folder, run }
})

/** Of the next patch. */
const next = version.replace(/\d+$/, (patch) => String(Number(patch) + 1))

describe("npm version", () => {
  it.effect("states the new version everywhere, commits and tags", () =>
    Effect.gen(function* () {
      const { folder, run } = yield* repository("\n- a new thing\n")
      const { status, stderr } = run("npm", ["version", "patch"])
      assert.strictEqual(status, 0, stderr)
      assert.strictEqual(run("git", ["status", "--porcelain"]).stdout, "")
      assert.strictEqual(run("git", ["tag"]).stdout, `v${next}\n`)
      const { stdout } = run("git", ["show", "--name-only", "--format=", "HEAD"])
      assert.deepStrictEqual(stdout.trim().split("\n").toSorted(), changed)
      for (const name of changed) {
        const text = fs.readFileSync(path.join(folder, name), "utf8")
        assert.include(text, next, name)
        for (const mark of ["inferlog-", "inferlog:", "ersion: ", 'ersion: "']) {
          assert.notInclude(text, mark + version, name)
        }
      }
    })
  )

  it.effect("refuses to release nothing", () =>
    Effect.gen(function* () {
      const { run } = yield* repository("")
      const { status, stderr } = run("npm", ["version", "patch"])
      assert.notStrictEqual(status, 0)
      assert.match(stderr, /CHANGELOG.md lists nothing under/)
      assert.strictEqual(run("git", ["tag"]).stdout, "")
    })
  )
})
