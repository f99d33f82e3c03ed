/**
 * The folder for segments in the data directory, where a restore puts them. The log names it by a location that is relative to
 * its own file, so that the directory can be moved.
 */
import * as path from "node:path"
import * as url from "node:url"

export const location = "./archive"

export const folderIn = (directory: string): string => path.join(directory, "archive")

/** The absolute location. @param log the file of the log. */
export const resolve = (log: string, stored: string): string =>
  stored === location ? url.pathToFileURL(folderIn(path.dirname(path.resolve(log)))).href : stored
