/** The files below a folder, up to a limit that protects against walking a whole disk. */
import type { Dirent } from "node:fs"
import * as fs from "node:fs/promises"
import * as path from "node:path"

/** Counts files and folders of any name. */
const mostEntries = 100_000

const deepest = 32

export class FolderTooLarge extends Error {}

/** Dot names are hidden: files of editors, and versions that Kubernetes swaps. */
const isHidden = ({ name }: Dirent): boolean => name.startsWith(".")

const isGone = (cause: unknown): boolean =>
  cause instanceof Error && "code" in cause && (cause.code === "ENOENT" || cause.code === "ENOTDIR")

/** Paths from `root` of files that are not hidden. Links to folders are not followed. */
export const files = async (root: string): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  const open: Array<{ readonly folder: string; readonly depth: number }> = [{ folder: "", depth: 1 }]
  let entries = 0
  const list = async (folder: string, depth: number): Promise<void> => {
    for await (const entry of await fs.opendir(path.join(root, folder))) {
      entries += 1
      if (entries > mostEntries)
        throw new FolderTooLarge(`Expected at most ${mostEntries} files and folders in it`)
      if (isHidden(entry)) continue
      const relative = path.join(folder, entry.name)
      if (!entry.isDirectory()) found.push(relative)
      else if (depth < deepest) open.push({ folder: relative, depth: depth + 1 })
      else throw new FolderTooLarge(`Expected at most ${deepest} levels of folders in it`)
    }
  }
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    try {
      await list(next.folder, next.depth)
    } catch (cause) {
      // A folder that was removed after it was listed counts as empty.
      if (next.depth === 1 || !isGone(cause)) throw cause
    }
  }
  return found
}
