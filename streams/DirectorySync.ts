import * as fs from "node:fs"

/** Makes renames and new files in the directory durable. Windows cannot and need not sync a directory. */
export const syncDirectory = (directory: string): void => {
  if (process.platform === "win32") return
  const descriptor = fs.openSync(directory, "r")
  try {
    fs.fsyncSync(descriptor)
  } finally {
    fs.closeSync(descriptor)
  }
}
