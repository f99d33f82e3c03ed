/** The bundle of the program: one build for each state of the sources, in `dist` (docs/decisions/0049). */
import * as childProcess from "node:child_process"
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"

const root = path.resolve(import.meta.dirname, "..")
const folders = ["domain", "streams", "projections", "src"]
const builds = path.join(root, "dist")

/** A running program may still load parts of an older build. */
const keptMs = 24 * 60 * 60 * 1000

/** Native code, files beside the code, or large and rarely needed. Effect re-exports all of undici, whose names only Node finds. */
const unbundled = /^(sharp|tesseract\.js|@tesseract\.js-data|@aws-sdk|oidc-provider|@nats-io|undici)(\/|$)/

/** Times and sizes of all sources. Reading their contents would take most of a command's time. */
const stamp = () => {
  let times = ""
  const add = (/** @type {string} */ name) => {
    const { mtimeMs, size } = fs.statSync(`${root}/${name}`)
    times += `${name} ${mtimeMs} ${size}\n`
  }
  const visit = (/** @type {string} */ folder) => {
    for (const entry of fs.readdirSync(`${root}/${folder}`, { withFileTypes: true })) {
      if (entry.isDirectory()) visit(`${folder}/${entry.name}`)
      else if (entry.name.endsWith(".ts")) add(`${folder}/${entry.name}`)
    }
  }
  for (const file of ["package.json", "package-lock.json", "bin/Build.js"]) add(file)
  for (const folder of folders) visit(folder)
  return crypto.hash("sha256", times).slice(0, 16)
}

/** Where a module finds its files: threads are entries of the build, all else stays where the source is. */
const places = {
  name: "places",
  /** @this {{ emitFile: (file: { type: "chunk", id: string, fileName: string }) => string }} */
  transform(/** @type {string} */ code, /** @type {string} */ id) {
    if (!folders.some((folder) => id.startsWith(path.join(root, folder) + path.sep))) return null
    if (!code.includes("import.meta.")) return null
    const source = path.relative(root, id).split(path.sep).join("/")
    const withThreads = code.replaceAll(/new URL\("(\.[^"]+\.ts)", import\.meta\.url\)/g, (_, relative) => {
      const thread = path.posix.join(path.posix.dirname(source), relative)
      const fileName = `${thread.slice(0, -".ts".length).replaceAll("/", ".")}.js`
      this.emitFile({ type: "chunk", id: path.join(root, thread), fileName })
      return `new URL("./${fileName}", import.meta.bundle)`
    })
    const place = `new URL("../../${source}", import.meta.bundle)`
    return withThreads
      .replaceAll("import.meta.url", `${place}.href`)
      .replaceAll(
        "import.meta.dirname",
        `process.getBuiltinModule("node:url").fileURLToPath(new URL(".", ${place}))`
      )
      .replaceAll("import.meta.bundle", "import.meta.url")
  }
}

/** Readable code, so that stack traces name functions. */
const write = async (/** @type {string} */ folder) => {
  const { build } = await import("rolldown")
  const written = `${folder}.${process.pid}`
  await build({
    cwd: root,
    input: { main: "src/main.ts" },
    platform: "node",
    // A package with both forms is taken as modules: rolldown does not see what UMD requires.
    resolve: { mainFields: ["module", "main"] },
    external: unbundled,
    plugins: [places],
    output: {
      dir: written,
      format: "esm",
      entryFileNames: "[name].js",
      chunkFileNames: "[name]-[hash].js",
      // Two fifths of the text, which every start would read.
      comments: false
    }
  })
  try {
    fs.renameSync(written, folder)
  } catch (cause) {
    // Another process has built the same.
    fs.rmSync(written, { recursive: true })
    if (!fs.existsSync(folder)) throw cause
  }
  for (const name of fs.readdirSync(builds)) {
    const other = path.join(builds, name)
    if (Date.now() - fs.statSync(other).mtimeMs > keptMs) fs.rmSync(other, { recursive: true, force: true })
  }
}

/** The entry of the build of the present sources, which it builds unless it exists. */
export const main = async () => {
  const folder = path.join(builds, stamp())
  const entry = path.join(folder, "main.js")
  if (!fs.existsSync(entry)) await write(folder)
  return entry
}

/** The same, built by another process: the bundler would leave this one half a gigabyte larger for as long as it runs. */
export const made = () => {
  const entry = path.join(builds, stamp(), "main.js")
  if (!fs.existsSync(entry)) {
    const program = path.join(root, "bin/prepare.js")
    childProcess.execFileSync(process.execPath, [program], { stdio: ["ignore", "inherit", "inherit"] })
  }
  return entry
}
