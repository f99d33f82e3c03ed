/** Temporary directories that are removed when the process ends. */
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import process from "node:process"

export const make = (): string => {
  const made = fs.mkdtempSync(path.join(os.tmpdir(), "inferlog-bench-"))
  process.on("exit", () => fs.rmSync(made, { recursive: true, force: true }))
  return made
}
