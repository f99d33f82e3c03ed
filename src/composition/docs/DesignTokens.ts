/** The tokens of the design system for pages that the server writes: the same as in the console's style sheet. Written by `npm run docs`. */

export const source = "console/design/tokens.css"
export const file = "src/edges/http/pages/DesignTokens.ts"

interface Tokens {
  readonly light: ReadonlyArray<readonly [name: string, value: string]>
  readonly dark: ReadonlyArray<readonly [name: string, value: string]>
}

const declarations = (css: string): ReadonlyArray<readonly [name: string, value: string]> => {
  const [, root = ""] = /:root\s*\{([^}]*)\}/.exec(css) ?? []
  return [...root.replaceAll(/\/\*[\s\S]*?\*\//g, "").matchAll(/--([\w-]+):\s*([^;]+);/g)].map(
    ([, name = "", value = ""]) => [name, value.trim()]
  )
}

/** Both arguments of `light-dark(…)`; colours such as `rgb(0 0 0 / 0.5)` have parentheses of their own. */
const schemes = (value: string): readonly [light: string, dark: string] | null => {
  const [, light, dark] =
    /^light-dark\(\s*((?:[^,()]|\([^()]*\))+),\s*((?:[^,()]|\([^()]*\))+)\)$/.exec(value) ?? []
  return light === undefined || dark === undefined ? null : [light.trim(), dark.trim()]
}

/** What does not depend on the scheme is in `light` alone. */
export const tokensOf = (css: string): Tokens => {
  const all = declarations(css).map(([name, value]) => ({ name, value, both: schemes(value) }))
  return {
    light: all.map(({ both, name, value }) => [name, both?.[0] ?? value]),
    dark: all.flatMap(({ both, name }) => (both === null ? [] : [[name, both[1]] as const]))
  }
}

const record = (name: string, entries: Tokens["light"]): string =>
  `export const ${name}: Readonly<Record<string, string>> = {\n${entries
    .map(([key, value]) => `  ${/^\w+$/.test(key) ? key : JSON.stringify(key)}: ${quoted(value)}`)
    .join(",\n")}\n}`

/** As the formatter quotes it. */
const quoted = (value: string): string =>
  value.includes('"') && !value.includes("'") ? `'${value}'` : JSON.stringify(value)

/** @param css the console's tokens */
export const text = (css: string): string => {
  const { dark, light } = tokensOf(css)
  return [
    `/** The tokens of the design system by name. Written by \`npm run docs\` from \`${source}\`. */`,
    record("light", light),
    "/** Those that differ in dark mode. */",
    record("dark", dark)
  ]
    .join("\n\n")
    .replace("*/\n\nexport const dark", "*/\nexport const dark")
    .concat("\n")
}
