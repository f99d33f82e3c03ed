import * as fs from "node:fs"
import { createRequire, type ResolveFnOutput } from "node:module"
import * as path from "node:path"
import * as url from "node:url"
import { assert, describe, it } from "@effect/vitest"
import * as Resolution from "#src/kernel/program/Resolution.ts"

const root = path.resolve(import.meta.dirname, "../../../..")

const filesOf = (folder: string, extension: string): ReadonlyArray<string> =>
  fs
    .globSync(`${folder}/**/*${extension}`, { cwd: root })
    .map((file) => path.join(root, file))
    .toSorted()

/** The file's static and dynamic imports, and its re-exports. */
const importedBy = (file: string): ReadonlyArray<string> => {
  const text = fs.readFileSync(file, "utf8")
  const named =
    /^(?:import|export)\b[^"';]*?from\s*"([^"]+)"|\bimport\(\s*"([^"]+)"\s*\)|^import\s+"([^"]+)"/gm
  return [...text.matchAll(named)].map(([, from, called, alone]) => from ?? called ?? alone ?? "")
}

const asked: ResolveFnOutput = { url: "asked:node", format: "module" }
const contextOf = (importer: string) => ({
  parentURL: url.pathToFileURL(importer).href,
  conditions: ["node", "import"],
  importAttributes: {}
})

/** Each module that the hook resolves must be where Node finds it. Returns their number. */
const compare = (files: ReadonlyArray<string>): number => {
  const resolve = Resolution.make()
  let found = 0
  for (const importer of files) {
    const require = createRequire(importer)
    for (const specifier of importedBy(importer)) {
      const answer = resolve(specifier, contextOf(importer), () => asked)
      if (answer.url === asked.url) continue
      found += 1
      assert.strictEqual(
        url.fileURLToPath(answer.url),
        require.resolve(specifier),
        `${specifier} in ${importer}`
      )
      assert.strictEqual(answer.format, answer.url.endsWith(".ts") ? "module-typescript" : "module")
    }
  }
  return found
}

describe("Resolution", () => {
  it("finds each of our modules where Node does", () => {
    const files = ["domain", "streams", "projections", "src"].flatMap((folder) => filesOf(folder, ".ts"))
    assert.isAbove(compare(files), 3 * files.length)
  })

  it("finds each module of the packages it knows where Node does, and they are ES modules", () => {
    for (const name of ["effect", "@effect/platform-node", "@effect/platform-node-shared"]) {
      const folder = `node_modules/${name}`
      const manifest: unknown = JSON.parse(fs.readFileSync(path.join(root, folder, "package.json"), "utf8"))
      assert.deepInclude(manifest, { type: "module" })
      assert.isAbove(compare(filesOf(`${folder}/dist`, ".js")), 10)
    }
  })

  it("calls Node once for our modules' imports of packages, and each time for imports of packages", () => {
    const resolve = Resolution.make()
    const questions: Array<string> = []
    const ask = (specifier: string, importer: string) =>
      resolve(specifier, contextOf(path.join(root, importer)), (question) => {
        questions.push(question)
        return asked
      }).url
    for (const importer of ["src/composition/Server.ts", "domain/Ids.ts", "src/edges/server/Api.ts"]) {
      assert.strictEqual(ask("effect", importer), asked.url)
    }
    for (const importer of ["undici/index.js", "undici/lib/api/index.js"]) {
      ask("effect", `node_modules/${importer}`)
      ask("./index.js", `node_modules/${importer}`)
    }
    assert.deepStrictEqual(questions, ["effect", "effect", "./index.js", "effect", "./index.js"])
  })

  it("leaves to Node required and outside modules, and those without an importer", () => {
    const resolve = Resolution.make()
    const isAsked = (specifier: string, context: Parameters<typeof resolve>[1]) =>
      resolve(specifier, context, () => asked) === asked
    const inside = contextOf(path.join(root, "src/composition/Server.ts"))
    assert.isTrue(isAsked("undici", { ...inside, conditions: ["node", "require"] }))
    assert.isTrue(isAsked("undici", { ...inside, conditions: ["node", "require"] }))
    assert.isTrue(isAsked("./Core.ts", { ...inside, parentURL: "file:///elsewhere/Server.ts" }))
    assert.isTrue(isAsked("./Core.ts", { ...inside, parentURL: undefined }))
    assert.isTrue(isAsked("./package.json", inside))
  })
})
