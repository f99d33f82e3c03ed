/** Programs in pages of the documentation. */
import * as fs from "node:fs"
import * as path from "node:path"

const root = path.resolve(import.meta.dirname, "../../..")

/** The blocks of a language in a page, in order, as one program. */
export const programOf = (page: string, language: "sh" | "ts" | "python"): string => {
  const text = fs.readFileSync(path.join(root, page), "utf8")
  const blocks = text.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, "g"))
  return [...blocks].map(([, block = ""]) => block).join("\n")
}
