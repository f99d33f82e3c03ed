/** The documents of a manifest file, parsed by its file name. */
import * as path from "node:path"
import * as JsonDocuments from "./JsonDocuments.ts"
import type { Parsed } from "./ManifestDocument.ts"
import * as YamlDocuments from "./YamlDocuments.ts"

export const parse = (file: string, text: string): Parsed =>
  path.extname(file).toLowerCase() === ".json" ? JsonDocuments.parse(text) : YamlDocuments.parse(text)
