/** The bundle of the program: one build for each state of the sources, in `dist` (docs/decisions/0049). */
import * as childProcess from "node:child_process"
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Bundle from "./Bundle.js"
import * as Clients from "./Clients.js"
import * as Console from "./Console.js"

const { folders, root } = Bundle
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
      if (entry.name === "dist") continue
      if (entry.isDirectory()) visit(`${folder}/${entry.name}`)
      else if (entry.name.endsWith(".ts")) add(`${folder}/${entry.name}`)
    }
  }
  for (const file of ["package.json", "package-lock.json", "bin/Build.js", "bin/Bundle.js"]) add(file)
  for (const folder of [...folders, "clients/typescript"]) visit(folder)
  return crypto.hash("sha256", times).slice(0, 16)
}

const write = async (/** @type {string} */ folder) => {
  const written = `${folder}.${process.pid}`
  await Bundle.write({ folder: written, unbundled })
  try {
    fs.renameSync(written, folder)
  } catch (cause) {
    // Another process has built the same.
    fs.rmSync(written, { recursive: true })
    if (!fs.existsSync(folder)) throw cause
  }
  for (const name of fs.readdirSync(builds)) {
    if (name === "console") continue
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
  if (!fs.existsSync(entry) || Console.isStale() || Clients.isStale()) {
    const program = path.join(root, "bin/prepare.js")
    childProcess.execFileSync(process.execPath, [program], { stdio: ["ignore", "inherit", "inherit"] })
  }
  return entry
}
