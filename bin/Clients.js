/**
 * The builds of the npm packages in `clients/NAME/dist`: one module for each entry of `exports`, and the declarations. A checkout has
 * them, too, so that examples, tests and pages import `@inferlog/client` as an application does.
 */
import * as childProcess from "node:child_process"
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { promisify } from "node:util"
import { root } from "./Bundle.js"

const execFile = promisify(childProcess.execFile)

/** Each needs only those before it. */
const folders = ["clients/typescript", "clients/react"].map((folder) => path.join(root, folder))

/** The projects of the compiler, whose output are the declarations. */
const projects = [
  ...folders,
  ...["node", "effect"].map((folder) => path.join(root, "clients/typescript", folder))
]

const stampFile = path.join(root, "clients/typescript/dist/.stamp")

/** Times and sizes of the sources and of the compiler's version. */
const stamp = () => {
  const sources = folders.flatMap((folder) =>
    fs
      .readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter(({ name, parentPath }) => /\.(tsx?|json)$/.test(name) && !/[/\\]dist\b/.test(parentPath))
      .map(({ name, parentPath }) => path.join(parentPath, name))
      .toSorted()
  )
  const times = [...sources, path.join(root, "package-lock.json"), import.meta.filename].map((file) => {
    const { mtimeMs, size } = fs.statSync(file)
    return `${file} ${mtimeMs} ${size}\n`
  })
  return crypto.createHash("sha256").update(times.join("")).digest("hex").slice(0, 16)
}

const isBuilt = (/** @type {string} */ present) =>
  fs.existsSync(stampFile) && fs.readFileSync(stampFile, "utf8") === present

/**
 * The sources of the entries by the names of their modules: `./dist/node/File.js` is `node/File.ts`.
 *
 * @param {string} folder
 */
const entriesOf = (folder) => {
  const { exports } = JSON.parse(fs.readFileSync(path.join(folder, "package.json"), "utf8"))
  /** @type {Array<{ default?: string }>} */
  const entries = Object.values(exports)
  return Object.fromEntries(
    entries.flatMap(({ default: file }) => {
      const [, name] = /^\.\/dist\/(.+)\.js$/.exec(file ?? "") ?? []
      return name === undefined ? [] : [[name, path.join(folder, `${name}.ts`)]]
    })
  )
}

/** Writes a file so that whoever reads it meanwhile has all of the old or all of the new one. */
const replace = (/** @type {string} */ file, /** @type {string} */ text) => {
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(`${file}.${process.pid}`, text)
  fs.renameSync(`${file}.${process.pid}`, file)
}

/** An entry that has all of the main one takes it from there, so that a page needs one file, and nothing is loaded twice. */
const mainEntry = {
  name: "main-entry",
  resolveId: (/** @type {string} */ id) =>
    id === "../index.ts" ? { id: "@inferlog/client", external: true } : null
}

/**
 * @param {Record<string, string>} input
 * @param {boolean} minify
 */
const built = async (input, minify) => {
  const { rolldown } = await import("rolldown")
  const bundle = await rolldown({
    input,
    platform: "neutral",
    plugins: [mainEntry],
    external: /^(node:|react$|react\/|effect$|effect\/|@inferlog\/client)/
  })
  const { output } = await bundle.generate({
    format: "esm",
    minify,
    // The declarations have them for editors.
    comments: false,
    entryFileNames: "[name].js",
    chunkFileNames: "shared/[name].js"
  })
  await bundle.close()
  return output.map((file) => [file.fileName, file.type === "chunk" ? file.code : String(file.source)])
}

/**
 * @param {string} folder
 * @param {boolean} [minify]
 * @returns the modules by their names.
 */
export const modules = async (folder, minify = false) => {
  const entries = Object.entries(entriesOf(folder))
  const isOfEffect = ([name = ""]) => name.startsWith("effect/")
  // What is for Effect shares nothing with the rest, not even what a bundle with both would need.
  const inputs = [entries.filter((entry) => !isOfEffect(entry)), entries.filter(isOfEffect)]
  const outputs = await Promise.all(
    inputs.filter((input) => input.length > 0).map((input) => built(Object.fromEntries(input), minify))
  )
  return Object.fromEntries(outputs.flat())
}

const writeModules = async (/** @type {string} */ folder) => {
  for (const [name, text] of Object.entries(await modules(folder)))
    replace(path.join(folder, "dist", name), text)
  fs.copyFileSync(path.join(root, "LICENSE"), path.join(folder, "LICENSE"))
}

/** Type errors are left to `npm run check`, unless the result is to be published: a checkout is worked on. */
const writeDeclarations = (/** @type {boolean} */ isPublished) =>
  execFile(process.execPath, [path.join(root, "node_modules/typescript/bin/tsc"), "-b", ...projects]).catch(
    (/** @type {{ stdout?: string }} */ cause) => {
      if (isPublished) throw new Error(`The clients have type errors:\n${cause.stdout ?? ""}`, { cause })
    }
  )

/** Builds them unless they are built from the present sources. */
export const main = async (isPublished = false) => {
  const present = stamp()
  if (isBuilt(present) && !isPublished) return
  await Promise.all([writeDeclarations(isPublished), ...folders.map(writeModules)])
  replace(stampFile, present)
}

/** Whether they need to be built. */
export const isStale = () => !isBuilt(stamp())

// `npm pack` of one of them.
if (process.env.npm_lifecycle_event === "prepack") await main(true)
