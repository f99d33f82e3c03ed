/** `@inferlog/client` and `@inferlog/react` as npm packs them, installed into an empty folder. */
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { promisify } from "node:util"
import * as zlib from "node:zlib"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as Clients from "#bin/Clients.js"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as TestServer from "#test/support/TestServer.ts"
import * as Consumers from "#test/support/clients/Consumers.ts"
import { programOf } from "#test/support/clients/Snippets.ts"

const root = path.resolve(import.meta.dirname, "../../..")
const execFile = promisify(childProcess.execFile)

/** The most that everything a page can load may take, minified and compressed. */
const mostBytes = 12_000

const versionOf = (node: string) =>
  Number(/^v(\d+)/.exec(childProcess.spawnSync(node, ["--version"], { encoding: "utf8" }).stdout)?.[1] ?? 0)

/** The Node of this process, and the oldest one in `PATH` that the package is for. */
const nodes = [
  ...new Map(
    [process.execPath, ...(process.env["PATH"] ?? "").split(path.delimiter).map((folder) => `${folder}/node`)]
      .filter((file) => fs.existsSync(file))
      .map((file) => [versionOf(file), file] as const)
      .filter(([version]) => version >= 20)
  )
]

const tsc = path.join(root, "node_modules/typescript/bin/tsc")
const nodeNext = ["--module", "nodenext", "--moduleResolution", "nodenext"]
const bundler = ["--module", "esnext", "--moduleResolution", "bundler"]
const ofPackages = ["--skipLibCheck", "false"]
const strict = [
  ..."--noEmit --strict --exactOptionalPropertyTypes --target es2022 --types node".split(" "),
  // More threads would check much twice.
  "--singleThreaded",
  "--typeRoots",
  path.join(root, "node_modules/@types")
]

/** The test runner's variables must not reach npm or the programs. */
const environment = { PATH: process.env["PATH"], HOME: process.env["HOME"] }

/** A folder of an application that has installed both. */
class Installed extends Context.Service<Installed, string>()("inferlog/test/Installed") {}

const installed = Layer.effect(
  Installed,
  Effect.gen(function* () {
    const folder = yield* TempDirectory.make
    yield* Effect.promise(async () => {
      const options = { cwd: folder, env: environment }
      const packages = ["clients/typescript", "clients/react"].map((name) => path.join(root, name))
      const { stdout } = await execFile("npm", ["pack", ...packages, "--silent"], options)
      fs.writeFileSync(`${folder}/package.json`, '{ "type": "module" }')
      const packed = stdout
        .trim()
        .split("\n")
        .map((name) => `./${name}`)
      // React is the application's.
      const flags = ["--offline", "--ignore-scripts", "--legacy-peer-deps", "--no-audit", "--no-fund"]
      await execFile("npm", ["install", ...packed, ...flags], options)
      fs.writeFileSync(`${folder}/program.js`, Consumers.program)
      fs.writeFileSync(`${folder}/typed.ts`, Consumers.typed)
      fs.writeFileSync(`${folder}/typed-react.ts`, Consumers.typedReact)
      fs.writeFileSync(`${folder}/typed-effect.ts`, Consumers.typedEffect)
      fs.mkdirSync(`${folder}/node_modules/@types`)
      for (const name of ["react", "@types/react", "csstype", "effect", "@effect"])
        fs.symlinkSync(path.join(root, "node_modules", name), `${folder}/node_modules/${name}`)
      for (const page of ["clients", "streams", "effect"])
        fs.writeFileSync(`${folder}/${page}.ts`, programOf(`docs/apps/${page}.md`, "ts"))
    })
    return folder
  })
)

const files = (folder: string): ReadonlyArray<string> =>
  fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => path.relative(folder, path.join(parentPath, name)))

layer(Layer.merge(TestServer.layer(), installed), { excludeTestServices: true, timeout: 120_000 })(
  "The packages for npm, installed",
  (it) => {
    it.effect("brings code, types, a licence and a README, and nothing else", () =>
      Effect.gen(function* () {
        const modules = `${yield* Installed}/node_modules`
        for (const name of ["client", "react"]) {
          const brought = [...files(`${modules}/@inferlog/${name}`)]
          assert.includeMembers(brought, ["dist/index.js", "dist/index.d.ts"])
          const others = brought.filter((name) => !/^dist\/.+(\.d\.ts|\.js)$/.test(name))
          assert.deepStrictEqual(others.toSorted(), ["LICENSE", "README.md", "package.json"])
        }
        const { packages } = JSON.parse(fs.readFileSync(`${modules}/.package-lock.json`, "utf8")) as {
          readonly packages: object
        }
        const names = ["client", "react"].map((name) => `node_modules/@inferlog/${name}`)
        assert.deepStrictEqual(Object.keys(packages), names)
      })
    )

    it.effect.each(nodes)("runs with Node %i", ([, node]) =>
      Effect.gen(function* () {
        const { key, urls } = yield* TestServer.TestServer
        const folder = yield* Installed
        const env = {
          ...environment,
          INFERLOG_URL: urls.baseUrl,
          INFERLOG_API_KEY: key.replace("Key ", "")
        }
        const { stderr, stdout } = yield* Effect.promise(() =>
          execFile(node, ["program.js"], { cwd: folder, env })
        )
        assert.strictEqual(stderr, "")
        assert.deepStrictEqual(JSON.parse(stdout), {
          name: "cat.png",
          bytes: 100_000,
          status: "CANCELLED",
          error: "InvalidInputError"
        })
      })
    )

    const pages = ["clients.ts", "streams.ts"]
    const uses = ["typed.ts", "typed-react.ts", ...pages]
    const effects = ["typed-effect.ts", "effect.ts"]
    const compilers: ReadonlyArray<readonly [string, ReadonlyArray<string>, ReadonlyArray<string>]> = [
      ["NodeNext, without the types of pages", [...nodeNext, "--lib", "ES2024", ...ofPackages], uses],
      ["a bundler, with the types of pages", [...bundler, "--lib", "ES2024,DOM", ...ofPackages], uses],
      // Effect's own declarations are not checked.
      [
        "Effect, which it needs only for that",
        [...nodeNext, "--lib", "ES2024,DOM", "--skipLibCheck"],
        effects
      ]
    ]
    it.effect.each(compilers)("type-checks strictly for %s", ([, flags, files]) =>
      Effect.gen(function* () {
        const cwd = yield* Installed
        const args = [tsc, ...strict, ...flags, ...files]
        const { stdout } = yield* Effect.promise(() =>
          execFile(process.execPath, args, { cwd }).catch((cause: { stdout: string }) => cause)
        )
        assert.strictEqual(stdout, "")
      })
    )

    it.effect("takes at most 12 kB in a page", () =>
      Effect.gen(function* () {
        const modules = yield* Effect.promise(() =>
          Clients.modules(path.join(root, "clients/typescript"), true)
        )
        const sizes = Object.entries(modules).map(
          ([name, code]) => [name, zlib.gzipSync(code, { level: 9 }).length] as const
        )
        process.stdout.write(`@inferlog/client, bytes: ${sizes.map((one) => one.join(" ")).join(", ")}\n`)
        // The others need Node or Effect. They have nothing in common with this one that would be a file of its own.
        assert.hasAllKeys(modules, ["index.js", "node/File.js", "effect/Client.js"])
        assert.isAtMost(Object.fromEntries(sizes)["index.js"] ?? Infinity, mostBytes)
      })
    )
  }
)
