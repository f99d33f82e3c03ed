/** The settings as Markdown tables. */
import type { Setting } from "#src/kernel/settings/Setting.ts"

type Settings = ReadonlyArray<Setting<unknown>>

const row = (...cells: ReadonlyArray<string>) =>
  `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`

const table = (heads: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [row(...heads), `|${"---|".repeat(heads.length)}`, ...rows.map((cells) => row(...cells))].join("\n")

const code = (text: string) => `\`${text}\``

const meaning = ({ description, isSecret }: Setting<unknown>) =>
  isSecret ? `${description}; a secret` : description

/** All columns. */
export const full = (settings: Settings): string =>
  table(
    ["Name", "Default", "Means", "Takes", "Example"],
    settings.map((setting) => [
      code(setting.name),
      setting.default,
      meaning(setting),
      setting.accepts,
      code(setting.example)
    ])
  )
