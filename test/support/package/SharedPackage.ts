/** A folder for the packed file that all tests of a run share. Vitest calls this before them, and the result after them. */
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { folderVariable } from "./Packed.ts"

export default () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "inferlog-packed-"))
  process.env[folderVariable] = folder
  return () => fs.rmSync(folder, { recursive: true, force: true })
}
