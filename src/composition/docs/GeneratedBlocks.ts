/** Parts of the documents that are generated from the code, between `<!-- name -->` and `<!-- /name -->`. */
import { Option } from "effect"
import * as MetricsTable from "#src/composition/metrics/MetricsTable.ts"
import * as AllSettings from "#src/composition/settings/AllSettings.ts"
import * as SettingsTable from "./SettingsTable.ts"

export interface GeneratedBlock {
  /** Path from the root of the project. */
  readonly file: string
  readonly name: string
  /** Markdown without blank lines at its ends. */
  readonly text: string
}

export const blocks: ReadonlyArray<GeneratedBlock> = [
  { file: "docs/reference/settings.md", name: "settings", text: SettingsTable.full(AllSettings.all) },
  { file: "docs/operators/monitoring.md", name: "metrics", text: MetricsTable.markdown }
]

/** The page with the generated block; `None` when the page lacks its markers. */
export const written = (page: string, { name, text }: GeneratedBlock): Option.Option<string> => {
  const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const start = page.indexOf(open)
  const end = page.indexOf(close, start)
  if (start === -1 || end === -1) return Option.none()
  return Option.some(`${page.slice(0, start)}${open}\n\n${text}\n\n${page.slice(end)}`)
}
