/** Damages a piece of a backup. */
import * as fs from "node:fs"
import * as path from "node:path"

/** Changes a bit in the middle of the file, or changes it back. */
export const flip = (file: string) => {
  const bytes = fs.readFileSync(file)
  const at = Math.floor(bytes.length / 2)
  bytes[at] = (bytes[at] ?? 0) ^ 1
  fs.writeFileSync(file, bytes)
}

/** A file in the folder or below it. */
export const firstIn = (folder: string): string => {
  const [found] = fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
  if (found === undefined) throw new Error(`${folder} is empty`)
  return path.join(found.parentPath, found.name)
}
