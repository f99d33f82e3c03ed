/**
 * What an operator gets from `npm pack` and an install into an empty folder.
 * @first It takes long, so at the end it would run alone.
 * @cost npm packs the program and installs it into an empty folder, once for all tests of the file.
 */
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { version } from "#src/kernel/program/ReleaseVersion.ts"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as BackupDrill from "#test/support/package/BackupDrill.ts"
import * as EventTypes from "#test/support/package/EventTypes.ts"
import * as Installed from "#test/support/package/Installed.ts"

/** A Node before 24 in `PATH`. */
const oldNode = (process.env["PATH"] ?? "")
  .split(path.delimiter)
  .map((folder) => path.join(folder, "node"))
  .find((file) => {
    const { stdout } = childProcess.spawnSync(file, ["--version"], { encoding: "utf8" })
    return Number(/^v(\d+)/.exec(stdout ?? "")?.[1] ?? 24) < 24
  })

const json = { ...ServerProcess.authorization, "content-type": "application/json", prefer: "wait=60" }

/** What the tests read of a request. */
const decodeEnd = Schema.decodeUnknownSync(
  Schema.Struct({
    id: Schema.String,
    status: Schema.String,
    output: Schema.optionalKey(Schema.Json),
    error: Schema.optionalKey(Schema.Json)
  })
)

const decodeVersion = Schema.decodeUnknownSync(Schema.Struct({ version: Schema.String }))
const decodeDocument = Schema.decodeUnknownSync(
  Schema.Struct({ info: Schema.Struct({ version: Schema.String }) })
)

const submit = async (url: string, model: string, body: string) => {
  const response = await fetch(`${url}/${model}`, { method: "POST", headers: json, body })
  return decodeEnd(await response.json())
}

const ocr = () => fs.readFileSync(path.join(ServerProcess.root, "examples/ocr.json"), "utf8")

/** Bytes of a folder without the Node that npm brings. */
const sizeOf = (folder: string): number =>
  fs.readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    const file = path.join(folder, entry.name)
    if (entry.isDirectory()) return entry.name.startsWith("node-") ? sum : sum + sizeOf(file)
    return sum + fs.lstatSync(file).size
  }, 0)

/** Its next start, which finds the request of the last one. */
const servesWithoutOptional = async (installed: Installed.Installed, request: string) => {
  const names = ["sharp", "tesseract.js"].map((name) => `${installed.folder}/node_modules/${name}`)
  for (const name of names) fs.renameSync(name, `${name}.away`)
  try {
    const { output, stop, url } = await Installed.serve(installed, process.execPath)
    assert.match(output(), /sharp is not installed/)
    assert.match(output(), /tesseract\.js is not installed/)
    const earlier = await fetch(`${url}/requests/${request}`, { headers: ServerProcess.authorization })
    assert.strictEqual(decodeEnd(await earlier.json()).status, "COMPLETED")
    const run = await submit(url, "vision/ocr", ocr())
    assert.strictEqual(run.status, "FAILED")
    assert.include(JSON.stringify(run), "This server was installed without sharp")
    assert.strictEqual((await submit(url, "sandbox/echo", '{"value":1}')).status, "COMPLETED")
    assert.strictEqual(await stop(), 0)
  } finally {
    for (const name of names) fs.renameSync(`${name}.away`, name)
  }
}

describe("The package", () => {
  let state: Installed.Installed | string = "not installed"
  beforeAll(async () => {
    state = await Installed.install()
  }, Installed.patienceMs)
  afterAll(() => (typeof state === "string" ? undefined : state.remove()))

  const test = (name: string, body: (installed: Installed.Installed) => Promise<void>) =>
    it(name, async (context) => (typeof state === "string" ? context.skip(state) : body(state)))

  const testWithOldNode = (
    name: string,
    body: (installed: Installed.Installed, node: string) => Promise<void>
  ) =>
    it(name, async (context) => {
      if (oldNode === undefined) return context.skip("there is no Node before 24 in PATH")
      return typeof state === "string" ? context.skip(state) : body(state, oldNode)
    })

  test("takes at most 150 MB without Node", async ({ folder }) => {
    assert.isBelow(sizeOf(`${folder}/node_modules`), 150e6)
    assert.include(
      fs.readFileSync(`${folder}/node_modules/inferlog/dist/package/THIRD-PARTY.txt`, "utf8"),
      "effect "
    )
  })

  test("runs the main job, restarts without sharp and OCR, says which runs need them, and proves its log", async (installed) => {
    const first = await Installed.serve(installed, process.execPath)
    const { output } = await submit(first.url, "vision/ocr", ocr())
    assert.match(JSON.stringify(output), /quick brown fox/)
    const echo = await submit(first.url, "sandbox/echo", '{"value":"hello"}')
    assert.strictEqual(echo.status, "COMPLETED")
    const scalar = await fetch(`${first.url}/docs/scalar.js`)
    assert.isAbove((await scalar.text()).length, 1e6)
    const page = await (await fetch(`${first.url}/console`)).text()
    const [, script = ""] = /src="(\/console\/assets\/[^"]+\.js)"/.exec(page) ?? []
    assert.strictEqual((await fetch(first.url + script)).status, 200)
    const openapi = decodeDocument(await (await fetch(`${first.url}/openapi.json`)).json())
    assert.strictEqual(openapi.info.version, version)
    const root = decodeVersion(
      await (await fetch(first.url, { headers: { accept: "application/json" } })).json()
    )
    assert.strictEqual(root.version, version)
    assert.include(await (await fetch(`${first.url}/metrics`)).text(), `version="${version}"`)
    assert.strictEqual(await first.stop(), 0)

    await servesWithoutOptional(installed, echo.id)

    const env = { DATA_DIR: `${installed.folder}/data` }
    const verified = await Installed.run(installed, process.execPath, ["log", "verify"], env)
    assert.strictEqual(verified.code, 0, verified.stderr)
    assert.match(verified.stdout, /^The log is intact/)
    const shown = await Installed.run(installed, process.execPath, ["--version"])
    assert.strictEqual(shown.stdout, `inferlog v${version}\n`)
  })

  test("declares the events that log export prints, in every released shape", ({ folder }) =>
    EventTypes.run(folder))

  test("backs up under load, and restores elsewhere all that it acknowledged", BackupDrill.run)

  test("compiles into the user's cache where it cannot write beside itself", async (installed) => {
    const beside = `${installed.folder}/node_modules/inferlog/node_modules`
    fs.renameSync(beside, `${beside}.away`)
    fs.writeFileSync(beside, "")
    const caches = `${installed.folder}/caches`
    const { code } = await Installed.run(installed, process.execPath, ["--version"], {
      XDG_CACHE_HOME: caches
    })
    fs.rmSync(beside)
    fs.renameSync(`${beside}.away`, beside)
    assert.strictEqual(code, 0)
    const [version = ""] = fs.readdirSync(`${caches}/inferlog`)
    assert.isAbove(fs.readdirSync(`${caches}/inferlog/${version}`).length, 5)
    assert.strictEqual(fs.statSync(`${caches}/inferlog`).mode & 0o777, 0o700)
  })

  testWithOldNode("runs with the Node that it brings where it finds an old one", async (installed, node) => {
    const server = await Installed.serve(installed, node)
    assert.strictEqual((await submit(server.url, "sandbox/echo", '{"value":1}')).status, "COMPLETED")
    assert.strictEqual(await server.stop(), 0)
    const wrong = await Installed.run(installed, node, ["no-such-command"])
    assert.strictEqual(wrong.code, 2)
  })

  testWithOldNode("says in one line what to do when there is an old Node only", async (installed, node) => {
    const modules = `${installed.folder}/node_modules`
    const brought = fs.readdirSync(modules).filter((name) => /^node-(linux|win|darwin)-/.test(name))
    for (const name of brought) fs.renameSync(`${modules}/${name}`, `${modules}/.${name}`)
    const { code, stderr, stdout } = await Installed.run(installed, node, ["--version"])
    for (const name of brought) fs.renameSync(`${modules}/.${name}`, `${modules}/${name}`)
    assert.strictEqual(code, 1)
    assert.strictEqual(stdout, "")
    assert.match(stderr, /^inferlog: it needs Node 24 .+ Install Node 24 .+\n$/)
  })
})
