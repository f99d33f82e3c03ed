/**
 * Makes what `npm pack` ships in `dist/package`: the bundle with every package in it that can be, their licences, and the types of the
 * events on the log (docs/decisions/0055).
 */
import * as fs from "node:fs"
import * as path from "node:path"
import * as Bundle from "./Bundle.js"
import * as EventTypes from "../tools/EventTypes.ts"

const folder = path.join(Bundle.root, "dist/package")

/** Native code, or files beside the code. They are optional dependencies of the package. */
const unbundled = /^(sharp|tesseract\.js|@tesseract\.js-data)(\/|$)/

/** The folder of the package that a module is part of, or `null` for our own. */
const packageOf = (/** @type {string} */ id) => {
  const [, found] = /^(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/.exec(id) ?? []
  return found ?? null
}

/** Name, version, licence and its text, of one package. */
const noticeOf = (/** @type {string} */ directory) => {
  const { license, name, version } = JSON.parse(fs.readFileSync(path.join(directory, "package.json"), "utf8"))
  const texts = fs
    .readdirSync(directory)
    .filter((file) => /^(licen[cs]e|notice|copying)/i.test(file))
    .toSorted()
    .map((file) => fs.readFileSync(path.join(directory, file), "utf8").trim())
  return [`${name} ${version} (${license})`, ...texts].join("\n\n")
}

/** @type {Set<string>} */
const packages = new Set()

const notices = {
  name: "notices",
  /** @this {{ emitFile: (file: { type: "asset", fileName: string, source: string }) => string }} */
  generateBundle(
    /** @type {unknown} */ _options,
    /** @type {Record<string, { type: string, moduleIds?: Array<string> }>} */ files
  ) {
    for (const { moduleIds = [] } of Object.values(files)) {
      for (const id of moduleIds) {
        const directory = packageOf(id)
        if (directory !== null) packages.add(directory)
      }
    }
    const line = `\n\n${"-".repeat(80)}\n\n`
    const head = "The bundle in this folder contains code of these packages, under their licences."
    const all = [...packages].map(noticeOf).toSorted()
    const source = `${[head, ...all].join(line)}\n`
    this.emitFile({ type: "asset", fileName: "THIRD-PARTY.txt", source })
  }
}

fs.rmSync(folder, { recursive: true, force: true })
await Bundle.write({ folder, unbundled, sourcemap: true, plugin: notices })
const { version } = JSON.parse(fs.readFileSync(path.join(Bundle.root, "package.json"), "utf8"))
fs.writeFileSync(path.join(folder, "events.d.ts"), EventTypes.declarations(version))
