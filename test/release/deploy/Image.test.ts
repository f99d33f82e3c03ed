/** The image, built over a base of this machine's tools and run by podman as operators run it. */
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as Programs from "#test/support/deploy/Programs.ts"
import * as Packed from "#test/support/package/Packed.ts"
import * as ServerProcess from "#test/support/ServerProcess.ts"

const programs = Programs.needed(["podman", "crun"], "podman crun")
const isRoot = process.getuid?.() === 0
const named = (name: string) => (isRoot ? programs.named(name) : `${name} (needs root)`)

/** ms. npm may download what it installs, on a machine that is busy. */
const longestBuild = 360_000

/** The size of debian:trixie-slim in bytes. */
const debianSlim = 79e6

describe.skipIf(programs.isMissing || !isRoot)("The image", () => {
  let seen: ReadonlyMap<string, string> = new Map()
  const number = (name: string) => Number(seen.get(name) ?? Number.NaN)

  beforeAll(async () => {
    const script = path.join(import.meta.dirname, "../../support/deploy/image-run.sh")
    const args = [await Packed.file(), String(await ServerProcess.freePort())]
    const output = Programs.run(script, args, {}, longestBuild)
    seen = new Map(
      output
        .split("\n")
        .flatMap((line) => [...line.matchAll(/^(\w+)=(.*)$/g)])
        .map(([, name = "", value = ""]) => [name, value])
    )
  }, longestBuild + 40_000)

  it(named("has at most 350 MB on the base that Containerfile names"), () =>
    assert.isAtMost(number("size") - number("base_size") + debianSlim, 350e6)
  )
  it(named("names its version, its user, its volume and its signal"), () => {
    const { version } = JSON.parse(fs.readFileSync(path.join(ServerProcess.root, "package.json"), "utf8"))
    assert.deepStrictEqual(
      ["version", "user", "volumes", "signal"].map((name) => seen.get(name)),
      [version, "10001:10001", "/var/lib/inferlog", "SIGTERM"]
    )
  })
  it(named("becomes healthy on a read-only root as a user without rights"), () => {
    assert.deepStrictEqual(
      ["health", "uid", "root_write"].map((name) => seen.get(name)),
      ["healthy", "10001", "refused"]
    )
  })
  it(named("runs a request"), () => assert.strictEqual(number("completed"), 1))
  it(named("stops cleanly within 5 s"), () => {
    assert.strictEqual(number("exit"), 0)
    assert.isBelow(number("stop_ms"), 5000)
  })
  it(named("keeps its state for a new container"), () => {
    assert.strictEqual(number("kept"), 1)
    assert.strictEqual(seen.get("verified"), "yes")
  })
})
