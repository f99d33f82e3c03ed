/** What checks ask of paths and addresses. */
import * as fs from "node:fs"
import * as path from "node:path"

/** The path, or the nearest folder above it that exists: there the server would make it. */
export const existing = (wanted: string): string => {
  const above = path.dirname(wanted)
  return fs.existsSync(wanted) || above === wanted ? wanted : existing(above)
}

/** Whether the directory is there and this user may not look into it: all its files seem to be missing. */
export const isClosed = (directory: string): boolean => {
  if (!fs.existsSync(directory)) return false
  try {
    fs.accessSync(directory, fs.constants.R_OK | fs.constants.X_OK)
    return false
  } catch {
    return true
  }
}

/** A host without brackets, or with them as in a URL. */
export const isLoopback = (host: string): boolean =>
  /^(?:127\.\d+\.\d+\.\d+|localhost|\[?::1\]?)$/i.test(host)

/** Whether the URL sends plain text over a network. */
export const isPlain = (text: string): boolean => {
  const url = URL.parse(text)
  return url !== null && url.protocol === "http:" && !isLoopback(url.hostname)
}
