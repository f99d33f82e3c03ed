/** The licences of packages whose code is in a build. */
import * as fs from "node:fs"
import * as path from "node:path"

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

/**
 * Writes `THIRD-PARTY.txt` beside what a build makes of packages.
 *
 * @param {string} what that contains their code
 */
export const notices = (what) => ({
  name: "notices",
  /** @this {{ emitFile: (file: { type: "asset", fileName: string, source: string }) => string }} */
  generateBundle(
    /** @type {unknown} */ _options,
    /** @type {Record<string, { type: string, moduleIds?: Array<string> }>} */ files
  ) {
    /** @type {Set<string>} */
    const packages = new Set()
    for (const { moduleIds = [] } of Object.values(files)) {
      for (const id of moduleIds) {
        const directory = packageOf(id)
        if (directory !== null) packages.add(directory)
      }
    }
    const line = `\n\n${"-".repeat(80)}\n\n`
    const head = `${what} contains code of these packages, under their licences.`
    const all = [...packages].map(noticeOf).toSorted()
    const source = `${[head, ...all].join(line)}\n`
    this.emitFile({ type: "asset", fileName: "THIRD-PARTY.txt", source })
  }
})
