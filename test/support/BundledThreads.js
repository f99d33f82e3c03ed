/**
 * Preloaded into test processes, and so into the threads that they start: a thread of the program runs from the bundle, as it does
 * in the program. Loading its sources would take each thread half a second.
 */
import * as fs from "node:fs"
import * as module from "node:module"

const root = new URL("../../", import.meta.url).href
/** The bundle's folder. */
const build = new URL("./", new URL(import.meta.url).searchParams.get("main") ?? "").href

/** The bundle's file for the entry of a thread: `bin/Bundle.js` names it after the source. */
const bundled = (/** @type {string} */ entry) => {
  if (!entry.startsWith(root) || !entry.endsWith(".ts")) return null
  const url = `${build}${entry.slice(root.length, -".ts".length).replaceAll("/", ".")}.js`
  return fs.existsSync(new URL(url)) ? url : null
}

module.registerHooks({
  resolve: (specifier, context, next) => {
    const url = context.parentURL === undefined ? bundled(specifier) : null
    return url === null ? next(specifier, context) : { url, format: "module", shortCircuit: true }
  }
})
