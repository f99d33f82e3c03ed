/** How the sources become a bundle: the checkout's builds and the package have the same (docs/decisions/0049, 0055). */
import { createRequire } from "node:module"
import * as fs from "node:fs"
import * as http from "node:http"
import * as path from "node:path"

export const root = path.resolve(import.meta.dirname, "..")

/** The folders with sources of the program. */
export const folders = ["domain", "streams", "projections", "src"]

const sourceOf = (/** @type {string} */ id) =>
  folders.some((folder) => id.startsWith(path.join(root, folder) + path.sep))
    ? path.relative(root, id).split(path.sep).join("/")
    : null

/**
 * Where a module finds its files: threads are entries of the build, all else stays where the source is. The bundle is two
 * folders below the root, in the package as in a checkout.
 */
const places = {
  name: "places",
  /** @this {{ emitFile: (file: { type: "chunk", id: string, fileName: string }) => string }} */
  transform(/** @type {string} */ code, /** @type {string} */ id) {
    const source = sourceOf(id)
    if (source === null || !code.includes("import.meta.")) return null
    const withThreads = code.replaceAll(/new URL\("(\.[^"]+\.ts)", import\.meta\.url\)/g, (_, relative) => {
      const thread = path.posix.join(path.posix.dirname(source), relative)
      const fileName = `${thread.slice(0, -".ts".length).replaceAll("/", ".")}.js`
      this.emitFile({ type: "chunk", id: path.join(root, thread), fileName })
      return `new URL("./${fileName}", import.meta.bundle)`
    })
    const place = `new URL("../../${source}", import.meta.bundle)`
    const withPlaces = withThreads
      .replaceAll("import.meta.url", `${place}.href`)
      .replaceAll(
        "import.meta.dirname",
        `process.getBuiltinModule("node:url").fileURLToPath(new URL(".", ${place}))`
      )
      .replaceAll("import.meta.bundle", "import.meta.url")
    // Lines stay lines, so the map of the sources still holds.
    return { code: withPlaces, map: null }
  }
}

/** What the sources read from files of a checkout, which the bundle holds itself: the release, and the script of `/docs`. */
const contents = {
  name: "contents",
  load(/** @type {string} */ id) {
    switch (sourceOf(id)) {
      case "src/kernel/program/ReleaseVersion.ts": {
        const { version } = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"))
        return `export const version = ${JSON.stringify(version)}`
      }
      case "src/edges/server/system/ScalarScript.ts": {
        const page = createRequire(import.meta.url).resolve("effect/http-api/HttpApiScalar")
        const file = path.join(path.dirname(page), "internal/httpApiScalar.js")
        return `export const load = () => import(${JSON.stringify(file)})`
      }
      default:
        return null
    }
  }
}

/**
 * `import "node:http"` reads every export of the module, also the lazy ones, with which Node loads its own undici: 30 ms of
 * each start and command. The bundle takes the others from the module itself.
 */
const lazyExports = new Set(["CloseEvent", "EventSource", "MessageEvent", "WebSocket"])
const builtins = {
  name: "builtins",
  resolveId(
    /** @type {string} */ id,
    /** @type {string | undefined} */ _importer,
    /** @type {{ kind: string }} */ { kind }
  ) {
    return /^(node:)?http$/.test(id) && kind !== "require-call"
      ? { id: "\0http", moduleSideEffects: false }
      : null
  },
  load(/** @type {string} */ id) {
    if (id !== "\0http") return null
    const names = Object.keys(http.default).filter((name) => !lazyExports.has(name))
    return [
      'const http = process.getBuiltinModule("node:http")',
      "export default http",
      `export const { ${names.join(", ")} } = http`
    ].join("\n")
  }
}

/**
 * Writes the bundle into a folder that does not exist yet. Readable code, so that stack traces name functions.
 *
 * @param {object} options
 * @param {string} options.folder
 * @param {RegExp} options.unbundled packages that the program finds in `node_modules`
 * @param {boolean} [options.sourcemap]
 * @param {import("rolldown").Plugin} [options.plugin]
 */
export const write = async ({ folder, unbundled, sourcemap = false, plugin }) => {
  const { build } = await import("rolldown")
  await build({
    cwd: root,
    input: { main: "src/main.ts" },
    platform: "node",
    // A package with both forms is taken as modules: rolldown does not see what UMD requires.
    resolve: { mainFields: ["module", "main"] },
    external: unbundled,
    plugins: [builtins, contents, places, plugin],
    output: {
      dir: folder,
      format: "esm",
      sourcemap,
      // The maps name places in the sources; their texts would be most of the package.
      sourcemapExcludeSources: true,
      entryFileNames: "[name].js",
      chunkFileNames: "[name]-[hash].js",
      // Two fifths of the text, which every start would read.
      comments: false
    }
  })
}
