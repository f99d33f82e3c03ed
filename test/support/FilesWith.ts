import * as fs from "node:fs"
import * as path from "node:path"

/** The files below a directory that contain a text. */
export const filesWith = (directory: string, text: string): ReadonlyArray<string> =>
  fs
    .readdirSync(directory, { recursive: true, encoding: "utf8" })
    .map((name) => path.join(directory, name))
    .filter((file) => fs.statSync(file).isFile() && fs.readFileSync(file).includes(text))
    .map((file) => path.relative(directory, file))
