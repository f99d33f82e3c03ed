/** Parts of the documents that are generated from the code, between `<!-- name -->` and `<!-- /name -->`. */
import { Option } from "effect"
import * as AllMetrics from "#src/composition/metrics/AllMetrics.ts"
import * as AllSettings from "#src/composition/settings/AllSettings.ts"

export interface GeneratedBlock {
  /** Path from the root of the project. */
  readonly file: string
  readonly name: string
  /** Markdown without blank lines at its ends. */
  readonly text: string
}

const table = (header: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const [first, ...rest] = [header, ...rows].map(
    (cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`
  )
  return [first, `|${"---|".repeat(header.length)}`, ...rest].join("\n")
}

const code = (text: string) => `\`${text}\``

const settings = table(
  ["Name", "Default", "Means", "Takes", "Example"],
  AllSettings.all.map(({ accepts, default: byDefault, description, example, isSecret, name }) => [
    code(name),
    byDefault,
    isSecret ? `${description}; a secret` : description,
    accepts,
    code(example)
  ])
)

const metrics = table(
  ["Metric", "Type", "Labels", "Says"],
  AllMetrics.all.map(({ help, labels, name, type }) => [code(name), type, labels.map(code).join(", "), help])
)

export const blocks: ReadonlyArray<GeneratedBlock> = [
  { file: "docs/reference/settings.md", name: "settings", text: settings },
  { file: "docs/operators/monitoring.md", name: "metrics", text: metrics }
]

/** The page with the generated block; `None` when the page lacks its markers. */
export const written = (page: string, { name, text }: GeneratedBlock): Option.Option<string> => {
  const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const start = page.indexOf(open)
  const end = page.indexOf(close, start)
  if (start === -1 || end === -1) return Option.none()
  return Option.some(`${page.slice(0, start)}${open}\n\n${text}\n\n${page.slice(end)}`)
}
