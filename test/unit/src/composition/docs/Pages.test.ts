/** Links and lines of every Markdown page of the project. */
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"

const root = path.join(import.meta.dirname, "../../../../..")

const pages = [
  ...fs.readdirSync(root).filter((name) => name.endsWith(".md")),
  ...fs.globSync("{docs,models,examples}/**/*.md", { cwd: root })
]

const read = (page: string) => fs.readFileSync(path.join(root, page), "utf8")

const withoutCode = (text: string) => text.replaceAll(/^ *```[\s\S]*?^ *```/gm, "")

/** As GitHub derives them from headings. */
const anchorsOf = (page: string) =>
  [...withoutCode(read(page)).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, "")
      .replaceAll(" ", "-")
  )

const isBroken = (page: string, link: string) => {
  const [file = "", anchor] = link.split("#")
  const target = file === "" ? page : path.join(path.dirname(page), file)
  if (!fs.existsSync(path.join(root, target))) return true
  return anchor !== undefined && target.endsWith(".md") && !anchorsOf(target).includes(anchor)
}

describe("The pages", () => {
  it.each(pages)("%s links to files and headings that exist", (page) => {
    const links = [...withoutCode(read(page)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link)
    const own = links.filter((link) => !/^[a-z]+:/.test(link))
    assert.deepStrictEqual(
      own.filter((link) => isBroken(page, link)),
      []
    )
  })

  // A row of a table cannot be wrapped.
  it.each(pages.filter((page) => /^(docs|README)/.test(page)))(
    "%s has lines of at most 160 characters",
    (page) => {
      const long = withoutCode(read(page))
        .split("\n")
        .filter((line) => line.length > 160 && !line.startsWith("|"))
      assert.deepStrictEqual(long, [])
    }
  )
})
