/** The build of the console in `dist/console`, which the server serves (docs/decisions/0075). */
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { root } from "./Bundle.js"

const folder = path.join(root, "dist/console")
const stampFile = path.join(folder, "stamp")

/** Times and sizes of the sources and of the libraries' versions. */
const stamp = () => {
  const names = ["console", "clients/typescript"]
    .flatMap((folder) => fs.readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !/[/\\]dist\b/.test(entry.parentPath))
    .map(({ name, parentPath }) => path.join(parentPath, name))
    .toSorted()
  const times = [...names, path.join(root, "package-lock.json"), import.meta.filename].map((file) => {
    const { mtimeMs, size } = fs.statSync(file)
    return `${file} ${mtimeMs} ${size}\n`
  })
  return crypto.createHash("sha256").update(times.join("")).digest("hex").slice(0, 16)
}

const isBuilt = (/** @type {string} */ present) =>
  fs.existsSync(stampFile) && fs.readFileSync(stampFile, "utf8") === present

/**
 * What the page refers to has a digest there (Subresource Integrity), so that a cache or proxy on the way cannot change it.
 * Scripts give way to the style sheet, because the page is seen with it alone.
 *
 * @param {string} built
 */
const finishPage = (built) => {
  const page = path.join(built, "index.html")
  const html = fs
    .readFileSync(page, "utf8")
    .replaceAll(/(?:src|href)="(\.\/assets\/[^"]+)"/g, (reference, file) => {
      const digest = crypto
        .createHash("sha384")
        .update(fs.readFileSync(path.join(built, file)))
        .digest("base64")
      const priority = file.endsWith(".js") ? ' fetchpriority="low"' : ""
      return `${reference} integrity="sha384-${digest}"${priority}`
    })
  fs.writeFileSync(page, html)
}

/** Builds it unless it is built from the present sources. */
export const main = async () => {
  const present = stamp()
  if (isBuilt(present)) return
  // Vite would build for development if a test runner has set another.
  process.env.NODE_ENV = "production"
  const { build } = await import("vite")
  const written = `${folder}.${process.pid}`
  await build({
    configFile: path.join(root, "console/vite.config.ts"),
    logLevel: "warn",
    build: { outDir: written }
  })
  finishPage(written)
  fs.writeFileSync(path.join(written, "stamp"), present)
  // A server that runs has the files that it serves in memory.
  const former = `${folder}.former.${process.pid}`
  if (fs.existsSync(folder)) fs.renameSync(folder, former)
  fs.renameSync(written, folder)
  fs.rmSync(former, { recursive: true, force: true })
}

/** Whether it needs to be built. */
export const isStale = () => !isBuilt(stamp())
