/**
 * Makes what `npm pack` ships in `dist/package`: the bundle with every package in it that can be, their licences, and the types of the
 * events on the log (docs/decisions/0055).
 */
import * as fs from "node:fs"
import * as path from "node:path"
import * as Bundle from "./Bundle.js"
import { notices } from "./Notices.js"
import * as EventTypes from "../tools/EventTypes.ts"

const folder = path.join(Bundle.root, "dist/package")

/** Native code, or files beside the code. They are optional dependencies of the package. */
const unbundled = /^(sharp|tesseract\.js|@tesseract\.js-data)(\/|$)/

fs.rmSync(folder, { recursive: true, force: true })
await Bundle.write({ folder, unbundled, sourcemap: true, plugin: notices("The bundle in this folder") })
const { version } = JSON.parse(fs.readFileSync(path.join(Bundle.root, "package.json"), "utf8"))
fs.writeFileSync(path.join(folder, "events.d.ts"), EventTypes.declarations(version))
